DROP INDEX "ota_versions_release";--> statement-breakpoint
CREATE INDEX "ota_versions_number" ON "ota_versions" USING btree ("ver_code" NULLS FIRST,"ota_id");--> statement-breakpoint
CREATE INDEX "ota_versions_updated" ON "ota_versions" USING btree ("update_time" NULLS FIRST,"ota_id");--> statement-breakpoint
CREATE INDEX "ota_versions_release" ON "ota_versions" USING btree ("release_date" NULLS FIRST,"ota_id");