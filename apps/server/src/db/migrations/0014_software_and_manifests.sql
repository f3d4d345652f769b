DROP INDEX "ota_versions_release";--> statement-breakpoint
DROP INDEX "ota_versions_number";--> statement-breakpoint
DROP INDEX "ota_versions_updated";--> statement-breakpoint
ALTER TABLE "ota_manifests" ADD COLUMN "model_id" integer NOT NULL;--> statement-breakpoint
ALTER TABLE "ota_manifests" ADD COLUMN "package_name" varchar(64) DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "ota_manifests" ADD COLUMN "release" integer NOT NULL;--> statement-breakpoint
ALTER TABLE "ota_manifests" ADD COLUMN "expire_time" timestamp (3) with time zone NOT NULL;--> statement-breakpoint
CREATE INDEX "ota_versions_kind" ON "ota_versions" USING btree ("kind","ota_id");--> statement-breakpoint
CREATE UNIQUE INDEX "ota_manifests_release" ON "ota_manifests" USING btree ("tenant_id","model_id","package_name","release");--> statement-breakpoint
CREATE INDEX "ota_versions_release" ON "ota_versions" USING btree ("kind","release_date" NULLS FIRST,"ota_id");--> statement-breakpoint
CREATE INDEX "ota_versions_number" ON "ota_versions" USING btree ("kind","ver_code" NULLS FIRST,"ota_id");--> statement-breakpoint
CREATE INDEX "ota_versions_updated" ON "ota_versions" USING btree ("kind","update_time" NULLS FIRST,"ota_id");