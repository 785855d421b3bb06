"""Rules on endpoints: their variants, configuration, updates and alarms."""
