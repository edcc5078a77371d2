# make USER_C_MODULES=<this folder>/micropython.cmake, as ports with CMake want it (esp32, rp2).
add_library(usermod_bearing INTERFACE)
target_sources(usermod_bearing INTERFACE ${CMAKE_CURRENT_LIST_DIR}/bearing.c)
target_include_directories(usermod_bearing INTERFACE ${CMAKE_CURRENT_LIST_DIR}/../.. ${CMAKE_CURRENT_LIST_DIR}/../06_arduino_motor)
target_link_libraries(usermod INTERFACE usermod_bearing)
