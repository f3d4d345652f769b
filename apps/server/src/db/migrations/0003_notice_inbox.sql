CREATE INDEX "notices_publish_time" ON "notices" USING btree ("publish_time" NULLS FIRST,"notice_id");--> statement-breakpoint
CREATE INDEX "notices_live" ON "notices" USING btree ("target","tenant_id") WHERE status = 1 and deleted_at is null;--> statement-breakpoint
CREATE INDEX "notices_targets" ON "notices" USING gin ("target_ids") WHERE status = 1 and deleted_at is null;