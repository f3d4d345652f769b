-- The device list's orders and filters over ten million rows. Most devices have no IMEI, and few are switched off.
CREATE INDEX devices_number ON devices USING btree (ver_code NULLS FIRST, id);
--> statement-breakpoint
CREATE INDEX devices_imei ON devices USING btree (imei) WHERE imei <> '';
--> statement-breakpoint
CREATE INDEX devices_disabled ON devices USING btree (id) WHERE status = 0 AND deleted_at IS NULL;
--> statement-breakpoint
CREATE INDEX devices_created ON devices USING brin (create_time);
