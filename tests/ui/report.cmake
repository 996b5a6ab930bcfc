receiptbench_window_test(report_page USES ui_report ui workbench runs report TIMEOUT 300)
target_compile_definitions(ui_report_page_test PRIVATE RECEIPTBENCH_PROGRAM="$<TARGET_FILE:receiptbench>")
add_dependencies(ui_report_page_test receiptbench)
