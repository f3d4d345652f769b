CREATE TABLE "oss_play_days" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"day" date NOT NULL,
	"tenant_id" integer NOT NULL,
	"model_id" integer NOT NULL,
	"record_type" smallint NOT NULL,
	"segments" integer NOT NULL,
	"bytes" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "oss_play_days" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE INDEX "oss_play_days_day" ON "oss_play_days" USING btree ("day","tenant_id");--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "oss_play_days" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));