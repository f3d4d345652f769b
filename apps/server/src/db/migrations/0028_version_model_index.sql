DROP INDEX "ota_versions_model";--> statement-breakpoint
CREATE INDEX "ota_versions_model" ON "ota_versions" USING btree ("model_id","kind","ota_id") WHERE deleted_at is null;