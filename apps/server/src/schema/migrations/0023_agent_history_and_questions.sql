ALTER TABLE "agent_question_runs" ADD COLUMN "job_id" integer;--> statement-breakpoint
ALTER TABLE "agent_question_runs" ADD COLUMN "questions" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
CREATE INDEX "agent_turns_tenant" ON "agent_turns" USING btree ("tenant_id","report_time");--> statement-breakpoint
CREATE INDEX "agent_turns_audio_age" ON "agent_turns" USING btree ("tenant_id","report_time") WHERE audio_id <> '';