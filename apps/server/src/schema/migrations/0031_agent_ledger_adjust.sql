ALTER TABLE "agent_ledger" DROP CONSTRAINT "agent_ledger_line";--> statement-breakpoint
ALTER TABLE "agent_grants" ADD COLUMN "adjusted" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "agent_ledger_day" ON "agent_ledger" USING btree ("day","id");--> statement-breakpoint
CREATE INDEX "agent_ledger_adjusted" ON "agent_ledger" USING btree ("grant_id","day") WHERE kind = 5;--> statement-breakpoint
ALTER TABLE "agent_ledger" ADD CONSTRAINT "agent_ledger_line" CHECK (kind between 1 and 4 and amount >= 0 or kind = 5 and amount <> 0 and reason <> '');