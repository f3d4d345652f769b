ALTER TABLE "oss_play_days" ADD COLUMN "folded" smallint DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "oss_play_days_group" ON "oss_play_days" USING btree ("day","tenant_id","model_id","record_type") WHERE folded = 1;--> statement-breakpoint
CREATE INDEX "oss_play_days_appended" ON "oss_play_days" USING btree ("id") WHERE folded = 0;--> statement-breakpoint
ALTER TABLE "oss_usage_days" ADD COLUMN "folded" smallint DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "oss_usage_days_group" ON "oss_usage_days" USING btree ("day","tenant_id","model_id","record_type") WHERE folded = 1;--> statement-breakpoint
CREATE INDEX "oss_usage_days_appended" ON "oss_usage_days" USING btree ("id") WHERE folded = 0;