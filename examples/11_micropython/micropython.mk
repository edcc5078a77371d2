# make USER_C_MODULES=<the folder above>, as ports with make want it (unix, stm32).
BEARING_DIR := $(USERMOD_DIR)
SRC_USERMOD += $(BEARING_DIR)/bearing.c
CFLAGS_USERMOD += -I$(BEARING_DIR)/../.. -I$(BEARING_DIR)/../06_arduino_motor
