CREATE TABLE "agent_usage" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"day" date NOT NULL,
	"tenant_id" integer NOT NULL,
	"agent_id" integer NOT NULL,
	"device_id" integer NOT NULL,
	"model_id" integer NOT NULL,
	"source" smallint NOT NULL,
	"unit" smallint NOT NULL,
	"is_estimate" smallint DEFAULT 0 NOT NULL,
	"n" numeric(18, 1) NOT NULL,
	"cost" numeric(18, 6) DEFAULT 0 NOT NULL,
	"folded" smallint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
ALTER TABLE "agent_usage" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE UNIQUE INDEX "agent_usage_group" ON "agent_usage" USING btree ("day","tenant_id","agent_id","device_id","model_id","source","unit","is_estimate") WHERE folded = 1;--> statement-breakpoint
CREATE INDEX "agent_usage_appended" ON "agent_usage" USING btree ("id") WHERE folded = 0;--> statement-breakpoint
CREATE INDEX "agent_usage_tenant" ON "agent_usage" USING btree ("tenant_id","day");--> statement-breakpoint
CREATE INDEX "agent_usage_agent" ON "agent_usage" USING btree ("agent_id","day");--> statement-breakpoint
CREATE INDEX "agent_usage_device" ON "agent_usage" USING btree ("device_id","day");--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "agent_usage" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));