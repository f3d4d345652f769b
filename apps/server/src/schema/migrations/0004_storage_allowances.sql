CREATE TABLE "oss_allowance_ledger" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"allowance_id" integer NOT NULL,
	"tenant_id" integer NOT NULL,
	"kind" smallint NOT NULL,
	"amount" integer NOT NULL,
	"balance" integer NOT NULL,
	"uid" integer,
	"oper_name" varchar(30) DEFAULT '' NOT NULL,
	"reason" varchar(200) DEFAULT '' NOT NULL,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "oss_allowance_ledger_balance" CHECK (balance >= 0)
);
--> statement-breakpoint
ALTER TABLE "oss_allowance_ledger" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "oss_allowances" (
	"id" serial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"package_id" integer NOT NULL,
	"quota" integer NOT NULL,
	"used" integer DEFAULT 0 NOT NULL,
	"remark" varchar(200) DEFAULT '' NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"rev" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "oss_allowances_used" CHECK (used >= 0 and used <= quota)
);
--> statement-breakpoint
ALTER TABLE "oss_allowances" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE INDEX "oss_allowance_ledger_allowance" ON "oss_allowance_ledger" USING btree ("allowance_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "oss_allowances_package" ON "oss_allowances" USING btree ("tenant_id","package_id");--> statement-breakpoint
CREATE INDEX "oss_allowances_created" ON "oss_allowances" USING btree ("create_time","id");--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "oss_allowance_ledger" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "oss_allowances" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE TRIGGER oss_allowance_ledger_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON oss_allowance_ledger
  FOR EACH STATEMENT EXECUTE FUNCTION oms_append_only();
--> statement-breakpoint
-- Staff of a tenant opens packages of the platform. Row-level security lets a tenant read these rows, but neither lock nor
-- change them, so the functions run with the rights of the owner.
CREATE FUNCTION oms_share_package(package integer) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  PERFORM FROM oss_packages WHERE id = package FOR SHARE;
END $$;
--> statement-breakpoint
CREATE FUNCTION oms_mark_versions_sold(versions integer[]) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  UPDATE oss_package_versions SET is_sold = 1 WHERE id = ANY (versions) AND is_sold = 0;
END $$;
--> statement-breakpoint
-- Returns the serial numbers that have received a trial in any tenant.
CREATE FUNCTION oms_serials_with_trial(serials text[]) RETURNS SETOF text LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public AS $$
  SELECT sn::text FROM oss_entitlements WHERE source = 4 AND sn = ANY (serials)
$$;
