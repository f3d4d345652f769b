CREATE TABLE "display_links" (
	"id" serial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"name" varchar(30) NOT NULL,
	"token_hash" "bytea" NOT NULL,
	"uid" integer NOT NULL,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expire_time" timestamp (3) with time zone NOT NULL,
	"revoke_time" timestamp (3) with time zone,
	"last_seen_time" timestamp (3) with time zone,
	"last_seen_ip" varchar(45) DEFAULT '' NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX "display_links_token" ON "display_links" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "display_links_tenant" ON "display_links" USING btree ("tenant_id","id") WHERE revoke_time is null;