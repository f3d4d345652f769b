CREATE TABLE "oss_hook_events" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"hook_id" integer NOT NULL,
	"event_id" varchar(64) NOT NULL,
	"type" varchar(32) NOT NULL,
	"out_order_no" varchar(64) NOT NULL,
	"body" text NOT NULL,
	"result" smallint NOT NULL,
	"message" varchar(200) DEFAULT '' NOT NULL,
	"attempts" integer DEFAULT 1 NOT NULL,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "oss_hook_events" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "oss_hooks" (
	"id" serial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"hook_name" varchar(50) NOT NULL,
	"secret_encrypted" text NOT NULL,
	"previous_encrypted" text DEFAULT '' NOT NULL,
	"rotate_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"price_free" smallint DEFAULT 0 NOT NULL,
	"status" smallint DEFAULT 1 NOT NULL,
	"remark" varchar(200) DEFAULT '' NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"rev" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
ALTER TABLE "oss_hooks" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "oss_order_items" (
	"id" serial PRIMARY KEY NOT NULL,
	"order_id" integer NOT NULL,
	"tenant_id" integer NOT NULL,
	"line" integer NOT NULL,
	"package_id" integer NOT NULL,
	"package_version_id" integer NOT NULL,
	"package_name" varchar(32) NOT NULL,
	"sn" varchar(64) NOT NULL,
	"channels" smallint[] NOT NULL,
	"copies" smallint NOT NULL,
	"effect_mode" smallint NOT NULL,
	"unit_price" integer NOT NULL,
	"amount" integer NOT NULL,
	"refunded" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "oss_order_items_refunded" CHECK (refunded >= 0 and refunded <= amount)
);
--> statement-breakpoint
ALTER TABLE "oss_order_items" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "oss_orders" (
	"id" serial PRIMARY KEY NOT NULL,
	"order_no" varchar(20) NOT NULL,
	"out_order_no" varchar(64) NOT NULL,
	"tenant_id" integer NOT NULL,
	"hook_id" integer NOT NULL,
	"amount" integer NOT NULL,
	"refunded" integer DEFAULT 0 NOT NULL,
	"pay_status" smallint DEFAULT 0 NOT NULL,
	"pay_time" timestamp (3) with time zone,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "oss_orders_refunded" CHECK (refunded >= 0 and refunded <= amount)
);
--> statement-breakpoint
ALTER TABLE "oss_orders" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "oss_refunds" (
	"id" serial PRIMARY KEY NOT NULL,
	"refund_no" varchar(20) NOT NULL,
	"tenant_id" integer NOT NULL,
	"order_id" integer NOT NULL,
	"item_id" integer NOT NULL,
	"hook_id" integer NOT NULL,
	"out_refund_no" varchar(64) DEFAULT '' NOT NULL,
	"amount" integer NOT NULL,
	"stops" smallint DEFAULT 0 NOT NULL,
	"state" smallint DEFAULT 0 NOT NULL,
	"origin" smallint NOT NULL,
	"reason" varchar(200) DEFAULT '' NOT NULL,
	"oper_name" varchar(30) DEFAULT '' NOT NULL,
	"done_time" timestamp (3) with time zone,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"rev" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "oss_refunds_amount" CHECK (amount > 0)
);
--> statement-breakpoint
ALTER TABLE "oss_refunds" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "oss_entitlements" ADD COLUMN "order_item_id" integer;--> statement-breakpoint
CREATE UNIQUE INDEX "oss_hook_events_id" ON "oss_hook_events" USING btree ("hook_id","event_id");--> statement-breakpoint
CREATE INDEX "oss_hook_events_tenant" ON "oss_hook_events" USING btree ("tenant_id","id");--> statement-breakpoint
CREATE INDEX "oss_hook_events_order" ON "oss_hook_events" USING btree ("hook_id","out_order_no");--> statement-breakpoint
CREATE INDEX "oss_hook_events_refused" ON "oss_hook_events" USING btree ("hook_id","id") WHERE result = 2;--> statement-breakpoint
CREATE INDEX "oss_hooks_tenant" ON "oss_hooks" USING btree ("tenant_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "oss_order_items_line" ON "oss_order_items" USING btree ("order_id","line");--> statement-breakpoint
CREATE INDEX "oss_order_items_sn" ON "oss_order_items" USING btree ("sn");--> statement-breakpoint
CREATE UNIQUE INDEX "oss_orders_no" ON "oss_orders" USING btree ("order_no");--> statement-breakpoint
CREATE UNIQUE INDEX "oss_orders_out" ON "oss_orders" USING btree ("hook_id","out_order_no");--> statement-breakpoint
CREATE INDEX "oss_orders_tenant" ON "oss_orders" USING btree ("tenant_id","id");--> statement-breakpoint
CREATE INDEX "oss_orders_created" ON "oss_orders" USING btree ("create_time","id");--> statement-breakpoint
CREATE INDEX "oss_orders_paid" ON "oss_orders" USING btree ("pay_time","id");--> statement-breakpoint
CREATE UNIQUE INDEX "oss_refunds_no" ON "oss_refunds" USING btree ("refund_no");--> statement-breakpoint
CREATE UNIQUE INDEX "oss_refunds_out" ON "oss_refunds" USING btree ("hook_id","out_refund_no") WHERE out_refund_no <> '';--> statement-breakpoint
CREATE INDEX "oss_refunds_order" ON "oss_refunds" USING btree ("order_id","id");--> statement-breakpoint
CREATE INDEX "oss_refunds_tenant" ON "oss_refunds" USING btree ("tenant_id","id");--> statement-breakpoint
CREATE INDEX "oss_refunds_pending" ON "oss_refunds" USING btree ("item_id") WHERE state = 0;--> statement-breakpoint
CREATE INDEX "oss_entitlements_item" ON "oss_entitlements" USING btree ("order_item_id") WHERE order_item_id is not null;--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "oss_hook_events" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "oss_hooks" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "oss_order_items" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "oss_orders" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "oss_refunds" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE SEQUENCE oss_order_no;
--> statement-breakpoint
CREATE SEQUENCE oss_refund_no;
--> statement-breakpoint
GRANT USAGE, SELECT ON SEQUENCE oss_order_no, oss_refund_no TO oms_tenant;
--> statement-breakpoint
CREATE INDEX oss_orders_out_trgm ON oss_orders USING gin (out_order_no gin_trgm_ops);
