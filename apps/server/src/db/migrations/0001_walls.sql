CREATE EXTENSION IF NOT EXISTS pg_trgm;
--> statement-breakpoint
-- Monthly partitions of a log table: from the month before now to `ahead` months after it.
CREATE FUNCTION oms_ensure_partitions(base text, ahead integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  first date := date_trunc('month', now())::date;
  month date;
BEGIN
  FOR step IN -1..ahead LOOP
    month := first + make_interval(months => step);
    EXECUTE format(
      'CREATE TABLE IF NOT EXISTS %I PARTITION OF %I FOR VALUES FROM (%L) TO (%L)',
      base || '_' || to_char(month, 'YYYYMM'), base, month, (month + interval '1 month')::date);
  END LOOP;
END $$;
--> statement-breakpoint
-- Rows of months nobody prepared (a clock far off) still have a home: nothing is lost.
CREATE TABLE oper_logs_other PARTITION OF oper_logs DEFAULT;
--> statement-breakpoint
CREATE TABLE login_logs_other PARTITION OF login_logs DEFAULT;
--> statement-breakpoint
SELECT oms_ensure_partitions('oper_logs', 3), oms_ensure_partitions('login_logs', 3);
--> statement-breakpoint
CREATE INDEX accounts_account_trgm ON accounts USING gin (account gin_trgm_ops);
--> statement-breakpoint
CREATE INDEX accounts_realname_trgm ON accounts USING gin (realname gin_trgm_ops);
--> statement-breakpoint
CREATE INDEX ota_versions_name_trgm ON ota_versions USING gin (ver_name gin_trgm_ops);
--> statement-breakpoint
-- The second wall between tenants. A request of a customer's account runs as `oms_tenant`, which sees only the rows of
-- the tenant named in the setting `oms.tenant`; the owner of the tables (the platform, jobs, devices) is not bound.
DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'oms_tenant') THEN
    CREATE ROLE oms_tenant NOLOGIN;
  END IF;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END $$;
--> statement-breakpoint
DO $$ BEGIN
  IF NOT pg_has_role(current_user, 'oms_tenant', 'MEMBER') THEN
    EXECUTE format('GRANT oms_tenant TO %I', current_user);
  END IF;
END $$;
--> statement-breakpoint
GRANT USAGE ON SCHEMA public TO oms_tenant;
--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO oms_tenant;
--> statement-breakpoint
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO oms_tenant;
--> statement-breakpoint
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO oms_tenant;
--> statement-breakpoint
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE, SELECT ON SEQUENCES TO oms_tenant;
--> statement-breakpoint
CREATE FUNCTION oms_wall(table_name text, condition text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', table_name);
  EXECUTE format('CREATE POLICY tenant_wall ON %I TO oms_tenant USING (%s) WITH CHECK (%s)',
    table_name, condition, condition);
END $$;
--> statement-breakpoint
SELECT oms_wall(t, 'tenant_id = (SELECT current_setting(''oms.tenant'')::integer)')
FROM unnest(ARRAY['accounts', 'roles', 'ota_versions', 'files', 'uploads', 'oper_logs', 'login_logs', 'sessions', 'jobs', 'tenant_scenes']) AS t;
--> statement-breakpoint
SELECT oms_wall('tenants', 'id = (SELECT current_setting(''oms.tenant'')::integer)');
--> statement-breakpoint
-- Notices of the platform reach every tenant; a tenant writes only its own.
ALTER TABLE notices ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
CREATE POLICY tenant_reads ON notices FOR SELECT TO oms_tenant
  USING (tenant_id IN (1, (SELECT current_setting('oms.tenant')::integer)));
--> statement-breakpoint
CREATE POLICY tenant_wall ON notices TO oms_tenant
  USING (tenant_id = (SELECT current_setting('oms.tenant')::integer))
  WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));
