receiptbench_window_test(session USES ui workbench runs TIMEOUT 180)
target_compile_definitions(ui_session_test PRIVATE RECEIPTBENCH_PROGRAM="$<TARGET_FILE:receiptbench>")
add_dependencies(ui_session_test receiptbench)

receiptbench_window_test(equal_command USES ui workbench runs TIMEOUT 180)
target_compile_definitions(ui_equal_command_test PRIVATE RECEIPTBENCH_PROGRAM="$<TARGET_FILE:receiptbench>")
add_dependencies(ui_equal_command_test receiptbench)
