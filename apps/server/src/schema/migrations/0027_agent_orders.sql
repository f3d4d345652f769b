CREATE TABLE "agent_grants" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"order_id" integer NOT NULL,
	"scope" smallint NOT NULL,
	"target_id" integer NOT NULL,
	"target_name" varchar(64) NOT NULL,
	"pack_no" smallint NOT NULL,
	"unit" smallint NOT NULL,
	"is_unlimited" smallint NOT NULL,
	"total" bigint NOT NULL,
	"remaining" bigint NOT NULL,
	"spent" bigint DEFAULT 0 NOT NULL,
	"lapsed" bigint DEFAULT 0 NOT NULL,
	"refunded" bigint DEFAULT 0 NOT NULL,
	"state" smallint DEFAULT 0 NOT NULL,
	"is_frozen" smallint DEFAULT 0 NOT NULL,
	"valid_days" integer NOT NULL,
	"activate_until" timestamp (3) with time zone NOT NULL,
	"begin_time" timestamp (3) with time zone,
	"valid_until" timestamp (3) with time zone,
	"create_time" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "agent_grants_sum" CHECK (total = remaining + spent + lapsed + refunded),
	CONSTRAINT "agent_grants_amounts" CHECK (remaining >= 0 and spent >= 0 and lapsed >= 0 and refunded >= 0),
	CONSTRAINT "agent_grants_over" CHECK (state < 2 or remaining = 0)
);
--> statement-breakpoint
ALTER TABLE "agent_grants" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agent_ledger" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"grant_id" bigint NOT NULL,
	"order_id" integer NOT NULL,
	"kind" smallint NOT NULL,
	"amount" bigint NOT NULL,
	"day" date NOT NULL,
	"oper_name" varchar(30) DEFAULT '' NOT NULL,
	"reason" varchar(200) DEFAULT '' NOT NULL,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "agent_ledger_line" CHECK (kind between 1 and 4 and amount >= 0)
);
--> statement-breakpoint
ALTER TABLE "agent_ledger" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agent_order_refunds" (
	"id" serial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"order_id" integer NOT NULL,
	"amount" integer NOT NULL,
	"state" smallint DEFAULT 0 NOT NULL,
	"reason" varchar(200) NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"audit_by" integer,
	"audit_time" timestamp (3) with time zone,
	"audit_remark" varchar(200) DEFAULT '' NOT NULL
);
--> statement-breakpoint
ALTER TABLE "agent_order_refunds" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agent_order_targets" (
	"id" serial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"order_id" integer NOT NULL,
	"line" integer NOT NULL,
	"target_id" integer NOT NULL,
	"name" varchar(64) NOT NULL
);
--> statement-breakpoint
ALTER TABLE "agent_order_targets" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agent_orders" (
	"id" serial PRIMARY KEY NOT NULL,
	"order_no" varchar(20) NOT NULL,
	"tenant_id" integer NOT NULL,
	"package_id" integer NOT NULL,
	"package_version_id" integer NOT NULL,
	"package_name" varchar(32) NOT NULL,
	"target_count" integer NOT NULL,
	"copies" integer NOT NULL,
	"unit_price" integer NOT NULL,
	"discount" integer DEFAULT 0 NOT NULL,
	"discount_reason" varchar(200) DEFAULT '' NOT NULL,
	"amount" integer NOT NULL,
	"refunded" integer DEFAULT 0 NOT NULL,
	"state" smallint DEFAULT 0 NOT NULL,
	"pay_way" smallint DEFAULT 0 NOT NULL,
	"voucher_no" varchar(64) DEFAULT '' NOT NULL,
	"pay_by" integer,
	"pay_time" timestamp (3) with time zone,
	"close_reason" varchar(200) DEFAULT '' NOT NULL,
	"close_time" timestamp (3) with time zone,
	"finish_time" timestamp (3) with time zone,
	"remark" varchar(200) DEFAULT '' NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"rev" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "agent_orders_money" CHECK (amount >= 0 and discount >= 0 and refunded between 0 and amount)
);
--> statement-breakpoint
ALTER TABLE "agent_orders" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agent_trials" (
	"sn" varchar(64) PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"mac" varchar(12) NOT NULL,
	"order_id" integer NOT NULL,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "agent_trials" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "agent_usage" ADD COLUMN "used_time" timestamp (3) with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "agent_grants_pack" ON "agent_grants" USING btree ("order_id","target_id","pack_no","unit");--> statement-breakpoint
CREATE INDEX "agent_grants_open" ON "agent_grants" USING btree ("scope","target_id") WHERE state < 2;--> statement-breakpoint
CREATE INDEX "agent_grants_due" ON "agent_grants" USING btree (coalesce(valid_until, activate_until)) WHERE state < 2 and is_frozen = 0;--> statement-breakpoint
CREATE INDEX "agent_grants_target" ON "agent_grants" USING btree ("scope","target_id","id");--> statement-breakpoint
CREATE INDEX "agent_grants_tenant" ON "agent_grants" USING btree ("tenant_id","id");--> statement-breakpoint
CREATE INDEX "agent_grants_created" ON "agent_grants" USING btree ("create_time","id");--> statement-breakpoint
CREATE UNIQUE INDEX "agent_ledger_spent" ON "agent_ledger" USING btree ("grant_id","day") WHERE kind = 2;--> statement-breakpoint
CREATE INDEX "agent_ledger_grant" ON "agent_ledger" USING btree ("grant_id","id");--> statement-breakpoint
CREATE INDEX "agent_ledger_order" ON "agent_ledger" USING btree ("order_id","id");--> statement-breakpoint
CREATE INDEX "agent_ledger_tenant" ON "agent_ledger" USING btree ("tenant_id","id");--> statement-breakpoint
CREATE INDEX "agent_ledger_created" ON "agent_ledger" USING btree ("create_time","id");--> statement-breakpoint
CREATE INDEX "agent_order_refunds_order" ON "agent_order_refunds" USING btree ("order_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "agent_order_refunds_open" ON "agent_order_refunds" USING btree ("order_id") WHERE state = 0;--> statement-breakpoint
CREATE UNIQUE INDEX "agent_order_targets_target" ON "agent_order_targets" USING btree ("order_id","target_id");--> statement-breakpoint
CREATE INDEX "agent_order_targets_line" ON "agent_order_targets" USING btree ("order_id","line");--> statement-breakpoint
CREATE UNIQUE INDEX "agent_orders_no" ON "agent_orders" USING btree ("order_no");--> statement-breakpoint
CREATE UNIQUE INDEX "agent_orders_voucher" ON "agent_orders" USING btree ("voucher_no") WHERE voucher_no <> '';--> statement-breakpoint
CREATE INDEX "agent_orders_tenant" ON "agent_orders" USING btree ("tenant_id","id");--> statement-breakpoint
CREATE INDEX "agent_orders_created" ON "agent_orders" USING btree ("create_time","id");--> statement-breakpoint
CREATE INDEX "agent_orders_paid" ON "agent_orders" USING btree ("pay_time","id");--> statement-breakpoint
CREATE INDEX "agent_orders_amount" ON "agent_orders" USING btree ("amount","id");--> statement-breakpoint
CREATE INDEX "agent_orders_open" ON "agent_orders" USING btree ("state","id") WHERE state in (0, 1);--> statement-breakpoint
CREATE UNIQUE INDEX "agent_trials_mac" ON "agent_trials" USING btree ("mac") WHERE mac <> '';--> statement-breakpoint
CREATE INDEX "agent_trials_order" ON "agent_trials" USING btree ("order_id");--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "agent_grants" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "agent_ledger" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "agent_order_refunds" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "agent_order_targets" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "agent_orders" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "agent_trials" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE SEQUENCE agent_order_no;
--> statement-breakpoint
CREATE INDEX agent_order_targets_name_trgm ON agent_order_targets USING gin (name gin_trgm_ops);
--> statement-breakpoint
-- Ledger lines never change, except that the line of a day's use grows.
CREATE FUNCTION oms_agent_ledger_grows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.kind <> 2 OR NEW.amount < OLD.amount
    OR to_jsonb(NEW) - 'amount' IS DISTINCT FROM to_jsonb(OLD) - 'amount' THEN
    RAISE EXCEPTION 'table % is append-only', TG_TABLE_NAME;
  END IF;
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER agent_ledger_grows BEFORE UPDATE ON agent_ledger
  FOR EACH ROW EXECUTE FUNCTION oms_agent_ledger_grows();
--> statement-breakpoint
CREATE TRIGGER agent_ledger_append_only BEFORE DELETE OR TRUNCATE ON agent_ledger
  FOR EACH STATEMENT EXECUTE FUNCTION oms_append_only();
--> statement-breakpoint
CREATE TRIGGER agent_trials_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON agent_trials
  FOR EACH STATEMENT EXECUTE FUNCTION oms_append_only();
--> statement-breakpoint
-- Marks versions of voice packages as sold. Tenants may not write packages otherwise.
CREATE FUNCTION oms_mark_agent_versions_sold(versions integer[]) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  UPDATE agent_product_versions SET is_sold = 1 WHERE id = ANY (versions) AND is_sold = 0;
END $$;
--> statement-breakpoint
-- Returns the devices that have received a trial in any tenant, by serial number or MAC.
CREATE FUNCTION oms_devices_with_agent_trial(device_ids integer[]) RETURNS SETOF integer LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public AS $$
  SELECT d.id FROM devices d WHERE d.id = ANY (device_ids)
    AND EXISTS (SELECT FROM agent_trials t WHERE t.sn = d.sn OR (t.mac = d.mac AND d.mac <> ''))
$$;
