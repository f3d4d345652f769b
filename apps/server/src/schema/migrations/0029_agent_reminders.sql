CREATE TABLE "agent_reminders" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"device_id" integer NOT NULL,
	"content" varchar(200) NOT NULL,
	"remind_time" timestamp (3) with time zone NOT NULL,
	"told_time" timestamp (3) with time zone,
	"told_count" smallint DEFAULT 0 NOT NULL,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "agent_reminders" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE INDEX "agent_reminders_device" ON "agent_reminders" USING btree ("device_id","remind_time");--> statement-breakpoint
CREATE INDEX "agent_reminders_tenant" ON "agent_reminders" USING btree ("tenant_id","remind_time");--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "agent_reminders" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));