-- Days of the device list are read in their own order, newest first.
DROP INDEX devices_created;
--> statement-breakpoint
CREATE INDEX devices_created ON devices USING btree (create_time, id);
