CREATE TABLE "oss_notices" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"device_id" integer NOT NULL,
	"sn" varchar(64) NOT NULL,
	"channel" smallint NOT NULL,
	"days" smallint NOT NULL,
	"end_time" timestamp (3) with time zone NOT NULL,
	"create_time" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "oss_notices" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE UNIQUE INDEX "oss_notices_once" ON "oss_notices" USING btree ("device_id","channel","end_time","days");--> statement-breakpoint
CREATE INDEX "oss_notices_tenant" ON "oss_notices" USING btree ("tenant_id","id");--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "oss_notices" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));