CREATE TABLE "oss_counts" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"package_id" integer NOT NULL,
	"record_type" smallint NOT NULL,
	"source" smallint NOT NULL,
	"state" smallint NOT NULL,
	"expire_month" date,
	"n" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "oss_ends" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"day" date NOT NULL,
	"tenant_id" integer NOT NULL,
	"package_id" integer NOT NULL,
	"n" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "oss_entitlements" (
	"id" serial PRIMARY KEY NOT NULL,
	"ent_no" varchar(20) NOT NULL,
	"device_id" integer NOT NULL,
	"sn" varchar(64) NOT NULL,
	"channel" smallint NOT NULL,
	"tenant_id" integer NOT NULL,
	"package_id" integer NOT NULL,
	"package_version_id" integer NOT NULL,
	"package_name" varchar(32) NOT NULL,
	"package_code" varchar(32) NOT NULL,
	"record_type" smallint NOT NULL,
	"storage_days" smallint NOT NULL,
	"period_type" smallint NOT NULL,
	"period_count" smallint NOT NULL,
	"source" smallint NOT NULL,
	"is_renewal" smallint DEFAULT 0 NOT NULL,
	"group_no" varchar(20) DEFAULT '' NOT NULL,
	"from_id" integer,
	"position" integer DEFAULT 0 NOT NULL,
	"state" smallint DEFAULT 0 NOT NULL,
	"start_time" timestamp (3) with time zone,
	"run_from" timestamp (3) with time zone,
	"end_time" timestamp (3) with time zone,
	"left_seconds" integer,
	"total_seconds" integer DEFAULT 0 NOT NULL,
	"used_seconds" integer DEFAULT 0 NOT NULL,
	"amount" integer DEFAULT 0 NOT NULL,
	"reason" varchar(200) DEFAULT '' NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"rev" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "oss_entitlements_seconds" CHECK (used_seconds >= 0 and total_seconds >= used_seconds),
	CONSTRAINT "oss_entitlements_running" CHECK (state <> 1 or (run_from is not null and end_time is not null))
);
--> statement-breakpoint
CREATE TABLE "oss_flows" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"day" date NOT NULL,
	"tenant_id" integer NOT NULL,
	"package_id" integer NOT NULL,
	"source" smallint NOT NULL,
	"kind" smallint NOT NULL,
	"n" integer NOT NULL,
	"amount" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "oss_ledger" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"entitlement_id" integer NOT NULL,
	"tenant_id" integer NOT NULL,
	"package_id" integer NOT NULL,
	"source" smallint NOT NULL,
	"kind" smallint NOT NULL,
	"is_renewal" smallint DEFAULT 0 NOT NULL,
	"seconds" integer NOT NULL,
	"amount" integer DEFAULT 0 NOT NULL,
	"balance" integer NOT NULL,
	"uid" integer,
	"oper_name" varchar(30) DEFAULT '' NOT NULL,
	"reason" varchar(200) DEFAULT '' NOT NULL,
	"at_time" timestamp (3) with time zone NOT NULL,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "oss_ledger_balance" CHECK (balance >= 0)
);
--> statement-breakpoint
CREATE TABLE "oss_queues" (
	"device_id" integer NOT NULL,
	"channel" smallint NOT NULL,
	"tenant_id" integer NOT NULL,
	"suspended" smallint DEFAULT 0 NOT NULL,
	"end_time" timestamp (3) with time zone,
	"last_package_id" integer DEFAULT 0 NOT NULL,
	"next_time" timestamp (3) with time zone,
	CONSTRAINT "oss_queues_pk" PRIMARY KEY("device_id","channel")
);
--> statement-breakpoint
CREATE TABLE "oss_spans" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"entitlement_id" integer NOT NULL,
	"tenant_id" integer NOT NULL,
	"device_id" integer NOT NULL,
	"channel" smallint NOT NULL,
	"from_time" timestamp (3) with time zone NOT NULL,
	"to_time" timestamp (3) with time zone NOT NULL,
	"record_type" smallint NOT NULL,
	"storage_days" smallint NOT NULL,
	CONSTRAINT "oss_spans_order" CHECK (to_time > from_time)
);
--> statement-breakpoint
CREATE INDEX "oss_counts_tenant" ON "oss_counts" USING btree ("tenant_id");--> statement-breakpoint
CREATE INDEX "oss_counts_package" ON "oss_counts" USING btree ("package_id");--> statement-breakpoint
CREATE INDEX "oss_ends_day" ON "oss_ends" USING btree ("day","tenant_id");--> statement-breakpoint
CREATE UNIQUE INDEX "oss_entitlements_no" ON "oss_entitlements" USING btree ("ent_no");--> statement-breakpoint
CREATE UNIQUE INDEX "oss_entitlements_current" ON "oss_entitlements" USING btree ("device_id","channel") WHERE state in (1, 3);--> statement-breakpoint
CREATE UNIQUE INDEX "oss_entitlements_trial" ON "oss_entitlements" USING btree ("sn") WHERE source = 4;--> statement-breakpoint
CREATE INDEX "oss_entitlements_queue" ON "oss_entitlements" USING btree ("device_id","channel","position") WHERE state in (0, 1, 3);--> statement-breakpoint
CREATE INDEX "oss_entitlements_device" ON "oss_entitlements" USING btree ("device_id","channel","id");--> statement-breakpoint
CREATE INDEX "oss_entitlements_tenant" ON "oss_entitlements" USING btree ("tenant_id","id");--> statement-breakpoint
CREATE INDEX "oss_entitlements_package" ON "oss_entitlements" USING btree ("package_id","id");--> statement-breakpoint
CREATE INDEX "oss_entitlements_state" ON "oss_entitlements" USING btree ("state","id");--> statement-breakpoint
CREATE INDEX "oss_entitlements_end" ON "oss_entitlements" USING btree ("end_time","id");--> statement-breakpoint
CREATE INDEX "oss_entitlements_created" ON "oss_entitlements" USING btree ("create_time","id");--> statement-breakpoint
CREATE INDEX "oss_flows_day" ON "oss_flows" USING btree ("day","tenant_id");--> statement-breakpoint
CREATE INDEX "oss_ledger_entitlement" ON "oss_ledger" USING btree ("entitlement_id","id");--> statement-breakpoint
CREATE INDEX "oss_queues_next" ON "oss_queues" USING btree ("next_time","device_id","channel") WHERE next_time is not null;--> statement-breakpoint
CREATE INDEX "oss_queues_end" ON "oss_queues" USING btree ("end_time");--> statement-breakpoint
CREATE INDEX "oss_queues_tenant" ON "oss_queues" USING btree ("tenant_id");--> statement-breakpoint
CREATE INDEX "oss_spans_device" ON "oss_spans" USING btree ("device_id","channel","from_time");--> statement-breakpoint
CREATE INDEX "oss_spans_entitlement" ON "oss_spans" USING btree ("entitlement_id","id");--> statement-breakpoint
CREATE SEQUENCE oss_entitlement_no;
--> statement-breakpoint
GRANT USAGE, SELECT ON SEQUENCE oss_entitlement_no TO oms_tenant;
--> statement-breakpoint
ALTER TABLE oss_entitlements SET (fillfactor = 85);
--> statement-breakpoint
CREATE INDEX oss_entitlements_sn_trgm ON oss_entitlements USING gin (sn gin_trgm_ops);
--> statement-breakpoint
-- Appends the differences of the counts. Updating shared rows instead would make concurrent changes wait.
CREATE FUNCTION oms_entitlement_inserted() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO oss_counts (tenant_id, package_id, record_type, source, state, expire_month, n)
  SELECT tenant_id, package_id, record_type, source, state, date_trunc('month', end_time)::date, count(*)
  FROM new_rows GROUP BY 1, 2, 3, 4, 5, 6;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION oms_entitlement_updated() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO oss_counts (tenant_id, package_id, record_type, source, state, expire_month, n)
  SELECT tenant_id, package_id, record_type, source, state, date_trunc('month', end_time)::date, sum(n)
  FROM (SELECT o.*, -1 AS n FROM old_rows o UNION ALL SELECT r.*, 1 FROM new_rows r) AS x
  GROUP BY 1, 2, 3, 4, 5, 6 HAVING sum(n) <> 0;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION oms_entitlement_deleted() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO oss_counts (tenant_id, package_id, record_type, source, state, expire_month, n)
  SELECT tenant_id, package_id, record_type, source, state, date_trunc('month', end_time)::date, -count(*)
  FROM old_rows GROUP BY 1, 2, 3, 4, 5, 6;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER oss_entitlements_inserted AFTER INSERT ON oss_entitlements REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION oms_entitlement_inserted();
--> statement-breakpoint
CREATE TRIGGER oss_entitlements_updated AFTER UPDATE ON oss_entitlements
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION oms_entitlement_updated();
--> statement-breakpoint
CREATE TRIGGER oss_entitlements_deleted AFTER DELETE ON oss_entitlements REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION oms_entitlement_deleted();
--> statement-breakpoint
-- Appends the differences of the queue ends per day.
CREATE FUNCTION oms_queue_inserted() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO oss_ends (day, tenant_id, package_id, n)
  SELECT end_time::date, tenant_id, last_package_id, count(*) FROM new_rows WHERE end_time IS NOT NULL GROUP BY 1, 2, 3;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION oms_queue_updated() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO oss_ends (day, tenant_id, package_id, n)
  SELECT end_time::date, tenant_id, last_package_id, sum(n)
  FROM (SELECT o.*, -1 AS n FROM old_rows o UNION ALL SELECT r.*, 1 FROM new_rows r) AS x
  WHERE end_time IS NOT NULL GROUP BY 1, 2, 3 HAVING sum(n) <> 0;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION oms_queue_deleted() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO oss_ends (day, tenant_id, package_id, n)
  SELECT end_time::date, tenant_id, last_package_id, -count(*) FROM old_rows WHERE end_time IS NOT NULL GROUP BY 1, 2, 3;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER oss_queues_inserted AFTER INSERT ON oss_queues REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION oms_queue_inserted();
--> statement-breakpoint
CREATE TRIGGER oss_queues_updated AFTER UPDATE ON oss_queues REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION oms_queue_updated();
--> statement-breakpoint
CREATE TRIGGER oss_queues_deleted AFTER DELETE ON oss_queues REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION oms_queue_deleted();
--> statement-breakpoint
-- Appends the flows that ledger entries stand for: a use that leaves nothing is an expiry.
CREATE FUNCTION oms_ledger_inserted() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO oss_flows (day, tenant_id, package_id, source, kind, n, amount)
  SELECT at_time::date, tenant_id, package_id, source, f.kind, count(*), sum(l.amount)
  FROM new_rows l, LATERAL (SELECT CASE WHEN l.kind = 1 THEN 1 + l.is_renewal
    WHEN l.kind = 2 AND l.balance = 0 THEN 3 WHEN l.kind = 4 THEN 4 WHEN l.kind = 3 THEN 5 END) AS f (kind)
  WHERE f.kind IS NOT NULL GROUP BY 1, 2, 3, 4, 5;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER oss_ledger_inserted AFTER INSERT ON oss_ledger REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION oms_ledger_inserted();
--> statement-breakpoint
CREATE TRIGGER oss_ledger_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON oss_ledger
  FOR EACH STATEMENT EXECUTE FUNCTION oms_append_only();
--> statement-breakpoint
CREATE TRIGGER oss_spans_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON oss_spans
  FOR EACH STATEMENT EXECUTE FUNCTION oms_append_only();
--> statement-breakpoint
-- Moves the entitlements of a device that is transferred to another tenant. Past spans and ledger entries stay where
-- they were.
CREATE FUNCTION oms_entitlement_follows() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  UPDATE oss_queues SET tenant_id = NEW.tenant_id WHERE device_id = NEW.id;
  UPDATE oss_entitlements SET tenant_id = NEW.tenant_id WHERE device_id = NEW.id;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER devices_entitlements AFTER UPDATE OF tenant_id ON devices FOR EACH ROW
  WHEN (OLD.tenant_id IS DISTINCT FROM NEW.tenant_id) EXECUTE FUNCTION oms_entitlement_follows();
--> statement-breakpoint
SELECT oms_tenant_policy('oss_entitlements', 'tenant_id = (SELECT current_setting(''oms.tenant'')::integer)');
--> statement-breakpoint
SELECT oms_tenant_policy('oss_queues', 'tenant_id = (SELECT current_setting(''oms.tenant'')::integer)');
--> statement-breakpoint
SELECT oms_tenant_policy('oss_spans', 'tenant_id = (SELECT current_setting(''oms.tenant'')::integer)');
--> statement-breakpoint
SELECT oms_tenant_policy('oss_ledger', 'tenant_id = (SELECT current_setting(''oms.tenant'')::integer)');
--> statement-breakpoint
SELECT oms_tenant_policy('oss_counts', 'tenant_id = (SELECT current_setting(''oms.tenant'')::integer)');
--> statement-breakpoint
SELECT oms_tenant_policy('oss_flows', 'tenant_id = (SELECT current_setting(''oms.tenant'')::integer)');
--> statement-breakpoint
SELECT oms_tenant_policy('oss_ends', 'tenant_id = (SELECT current_setting(''oms.tenant'')::integer)');
