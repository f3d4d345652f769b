ALTER TABLE "ad_materials" ADD COLUMN "poster_file_id" varchar(32) DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "ad_materials" ADD COLUMN "probe_state" smallint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "ad_materials" ADD COLUMN "probe_error" varchar(200) DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "ad_platform_audit" smallint DEFAULT 0 NOT NULL;