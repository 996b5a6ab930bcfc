receiptbench_window_test(shell USES ui_window ui workbench runs TIMEOUT 180)
target_compile_definitions(ui_shell_test PRIVATE RECEIPTBENCH_PROGRAM="$<TARGET_FILE:receiptbench>")
