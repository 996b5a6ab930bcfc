receiptbench_window_test(recovery_page USES ui_recovery ui workbench runs TIMEOUT 300)
target_compile_definitions(ui_recovery_page_test PRIVATE RECEIPTBENCH_PROGRAM="$<TARGET_FILE:receiptbench>")
add_dependencies(ui_recovery_page_test receiptbench)
