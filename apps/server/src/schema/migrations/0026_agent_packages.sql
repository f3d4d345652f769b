CREATE TABLE "agent_product_versions" (
	"id" serial PRIMARY KEY NOT NULL,
	"package_id" integer NOT NULL,
	"version" integer NOT NULL,
	"price" integer NOT NULL,
	"origin_price" integer DEFAULT 0 NOT NULL,
	"is_trial" smallint DEFAULT 0 NOT NULL,
	"model_ids" integer[] DEFAULT '{}' NOT NULL,
	"tenant_ids" integer[] DEFAULT '{}' NOT NULL,
	"is_sold" smallint DEFAULT 0 NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"allowances" jsonb NOT NULL,
	"scope" smallint NOT NULL,
	"activate_days" integer NOT NULL,
	"valid_days" integer NOT NULL,
	CONSTRAINT "agent_product_versions_terms" CHECK (price >= 0 and scope between 1 and 3 and activate_days > 0 and valid_days > 0)
);
--> statement-breakpoint
CREATE TABLE "agent_products" (
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
CREATE UNIQUE INDEX "agent_product_versions_no" ON "agent_product_versions" USING btree ("package_id","version");--> statement-breakpoint
CREATE UNIQUE INDEX "agent_products_name" ON "agent_products" USING btree ("package_name") WHERE deleted_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "agent_products_code" ON "agent_products" USING btree ("package_code") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "agent_products_sort" ON "agent_products" USING btree ("sort","id");--> statement-breakpoint
CREATE INDEX agent_products_name_trgm ON agent_products USING gin (package_name gin_trgm_ops);
--> statement-breakpoint
-- Sold terms never change: orders and grants refer to them.
CREATE TRIGGER agent_product_versions_sold BEFORE UPDATE OR DELETE ON agent_product_versions
  FOR EACH ROW WHEN (OLD.is_sold = 1) EXECUTE FUNCTION oms_sold_version();
--> statement-breakpoint
-- Packages belong to the platform. A tenant reads those that are offered to all tenants or to the tenant itself.
ALTER TABLE agent_product_versions ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
CREATE POLICY tenant_reads ON agent_product_versions FOR SELECT TO oms_tenant
  USING (tenant_ids = '{}' OR (SELECT current_setting('oms.tenant')::integer) = ANY (tenant_ids));
--> statement-breakpoint
ALTER TABLE agent_products ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
CREATE POLICY tenant_reads ON agent_products FOR SELECT TO oms_tenant USING (EXISTS (SELECT FROM agent_product_versions v
  WHERE v.package_id = agent_products.id AND v.version = agent_products.current_version));
