DROP INDEX "accounts_last_login";--> statement-breakpoint
DROP INDEX "ad_screens_report";--> statement-breakpoint
DROP INDEX "agent_devices_boot";--> statement-breakpoint
DROP INDEX "agent_devices_turn";--> statement-breakpoint
DROP INDEX "agent_orders_paid";--> statement-breakpoint
DROP INDEX "devices_activated";--> statement-breakpoint
DROP INDEX "ota_versions_release";--> statement-breakpoint
DROP INDEX "ota_versions_number";--> statement-breakpoint
DROP INDEX "ota_versions_updated";--> statement-breakpoint
DROP INDEX "oss_orders_paid";--> statement-breakpoint
DROP INDEX "oss_entitlements_end";--> statement-breakpoint
DROP INDEX "app_accounts_active";--> statement-breakpoint
DROP INDEX "ota_tasks_updated";--> statement-breakpoint
CREATE INDEX "agent_grants_valid" ON "agent_grants" USING btree ("valid_until" NULLS FIRST,"id");--> statement-breakpoint
CREATE INDEX "agent_grants_activate" ON "agent_grants" USING btree ("activate_until","id");--> statement-breakpoint
CREATE INDEX "devices_warranty" ON "devices" USING btree ("warranty_end" NULLS FIRST,"id");--> statement-breakpoint
CREATE INDEX "oss_consents_valid" ON "oss_consents" USING btree ("valid_until","id");--> statement-breakpoint
CREATE INDEX "oss_orders_amount" ON "oss_orders" USING btree ("amount","id");--> statement-breakpoint
CREATE INDEX "oss_entitlements_start" ON "oss_entitlements" USING btree ("start_time" NULLS FIRST,"id");--> statement-breakpoint
CREATE INDEX "user_applications_created" ON "user_applications" USING btree ("create_time","id");--> statement-breakpoint
CREATE INDEX "user_applications_audited" ON "user_applications" USING btree ("audit_time" NULLS FIRST,"id");--> statement-breakpoint
CREATE INDEX "tickets_priority" ON "tickets" USING btree ("priority","id");--> statement-breakpoint
CREATE INDEX "accounts_last_login" ON "accounts" USING btree ("last_login_time" NULLS FIRST,"uid");--> statement-breakpoint
CREATE INDEX "ad_screens_report" ON "ad_screens" USING btree ("last_report_time" NULLS FIRST,"device_id");--> statement-breakpoint
CREATE INDEX "agent_devices_boot" ON "agent_devices" USING btree ("boot_time" NULLS FIRST,"device_id");--> statement-breakpoint
CREATE INDEX "agent_devices_turn" ON "agent_devices" USING btree ("turn_time" NULLS FIRST,"device_id");--> statement-breakpoint
CREATE INDEX "agent_orders_paid" ON "agent_orders" USING btree ("pay_time" NULLS FIRST,"id");--> statement-breakpoint
CREATE INDEX "devices_activated" ON "devices" USING btree ("activate_time" NULLS FIRST,"id");--> statement-breakpoint
CREATE INDEX "ota_versions_release" ON "ota_versions" USING btree ("kind","release_date","ota_id");--> statement-breakpoint
CREATE INDEX "ota_versions_number" ON "ota_versions" USING btree ("kind","ver_code","ota_id");--> statement-breakpoint
CREATE INDEX "ota_versions_updated" ON "ota_versions" USING btree ("kind","update_time","ota_id");--> statement-breakpoint
CREATE INDEX "oss_orders_paid" ON "oss_orders" USING btree ("pay_time" NULLS FIRST,"id");--> statement-breakpoint
CREATE INDEX "oss_entitlements_end" ON "oss_entitlements" USING btree ("end_time" NULLS FIRST,"id");--> statement-breakpoint
CREATE INDEX "app_accounts_active" ON "app_accounts" USING btree ("last_active_time" NULLS FIRST,"uid");--> statement-breakpoint
CREATE INDEX "ota_tasks_updated" ON "ota_tasks" USING btree ("ota_id","update_time","task_id");