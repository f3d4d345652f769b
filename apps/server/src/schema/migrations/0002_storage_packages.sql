CREATE TABLE "oss_package_versions" (
	"id" serial PRIMARY KEY NOT NULL,
	"package_id" integer NOT NULL,
	"version" integer NOT NULL,
	"record_type" smallint NOT NULL,
	"storage_days" smallint NOT NULL,
	"period_type" smallint NOT NULL,
	"period_count" smallint NOT NULL,
	"price" integer NOT NULL,
	"origin_price" integer DEFAULT 0 NOT NULL,
	"channels" smallint DEFAULT 1 NOT NULL,
	"is_trial" smallint DEFAULT 0 NOT NULL,
	"pre_record" smallint DEFAULT 0 NOT NULL,
	"event_record" smallint DEFAULT 0 NOT NULL,
	"prolong" smallint DEFAULT 0 NOT NULL,
	"day_limit_mb" integer DEFAULT 0 NOT NULL,
	"model_ids" integer[] DEFAULT '{}' NOT NULL,
	"tenant_ids" integer[] DEFAULT '{}' NOT NULL,
	"is_sold" smallint DEFAULT 0 NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "oss_package_versions_terms" CHECK (price >= 0 and period_count between 1 and 36 and channels between 1 and 64)
);
--> statement-breakpoint
CREATE TABLE "oss_packages" (
	"id" serial PRIMARY KEY NOT NULL,
	"package_name" varchar(32) NOT NULL,
	"package_code" varchar(32) NOT NULL,
	"description" varchar(200) DEFAULT '' NOT NULL,
	"sort" integer DEFAULT 0 NOT NULL,
	"status" smallint DEFAULT 1 NOT NULL,
	"current_version" integer DEFAULT 1 NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"rev" integer DEFAULT 0 NOT NULL,
	"deleted_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "device_models" ADD COLUMN "cloud_channels" smallint DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "oss_package_versions_no" ON "oss_package_versions" USING btree ("package_id","version");--> statement-breakpoint
CREATE UNIQUE INDEX "oss_packages_name" ON "oss_packages" USING btree ("package_name") WHERE deleted_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "oss_packages_code" ON "oss_packages" USING btree ("package_code") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "oss_packages_sort" ON "oss_packages" USING btree ("sort","id");--> statement-breakpoint
CREATE INDEX oss_packages_name_trgm ON oss_packages USING gin (package_name gin_trgm_ops);
--> statement-breakpoint
-- Sold terms never change: entitlements refer to them.
CREATE FUNCTION oms_sold_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'package version % is sold and cannot change', OLD.id;
END $$;
--> statement-breakpoint
CREATE TRIGGER oss_package_versions_sold BEFORE UPDATE OR DELETE ON oss_package_versions
  FOR EACH ROW WHEN (OLD.is_sold = 1) EXECUTE FUNCTION oms_sold_version();
--> statement-breakpoint
-- Packages belong to the platform. A tenant reads those that are offered to all tenants or to the tenant itself.
ALTER TABLE oss_package_versions ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
CREATE POLICY tenant_reads ON oss_package_versions FOR SELECT TO oms_tenant
  USING (tenant_ids = '{}' OR (SELECT current_setting('oms.tenant')::integer) = ANY (tenant_ids));
--> statement-breakpoint
ALTER TABLE oss_packages ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
CREATE POLICY tenant_reads ON oss_packages FOR SELECT TO oms_tenant USING (EXISTS (SELECT FROM oss_package_versions v
  WHERE v.package_id = oss_packages.id AND v.version = oss_packages.current_version));
