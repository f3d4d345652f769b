CREATE TABLE "app_accounts" (
	"uid" serial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"account" varchar(50) NOT NULL,
	"mobile_no" varchar(20),
	"email" varchar(50),
	"nickname" varchar(30) DEFAULT '' NOT NULL,
	"region" varchar(64) DEFAULT '' NOT NULL,
	"register_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"register_source" smallint DEFAULT 1 NOT NULL,
	"last_active_time" timestamp (3) with time zone,
	"cloud_state" smallint DEFAULT 0 NOT NULL,
	"status" smallint DEFAULT 1 NOT NULL,
	"remark" varchar(200) DEFAULT '' NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"rev" integer DEFAULT 0 NOT NULL,
	"deleted_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "industries" (
	"id" serial PRIMARY KEY NOT NULL,
	"parent_id" integer DEFAULT 0 NOT NULL,
	"name" varchar(30) NOT NULL,
	"code" varchar(30) NOT NULL,
	"sort" integer DEFAULT 0 NOT NULL,
	"icon" varchar(64) DEFAULT '' NOT NULL,
	"status" smallint DEFAULT 1 NOT NULL,
	"remark" varchar(200) DEFAULT '' NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"rev" integer DEFAULT 0 NOT NULL,
	"deleted_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "user_applications" (
	"id" serial PRIMARY KEY NOT NULL,
	"apply_no" varchar(20) NOT NULL,
	"uid" integer NOT NULL,
	"account" varchar(30) NOT NULL,
	"realname" varchar(15) NOT NULL,
	"mobile_no" varchar(20),
	"tenant_id" integer NOT NULL,
	"source" smallint DEFAULT 2 NOT NULL,
	"reason" varchar(200) DEFAULT '' NOT NULL,
	"status" smallint DEFAULT 0 NOT NULL,
	"role_ids" integer[] DEFAULT '{}' NOT NULL,
	"audit_uid" integer,
	"audit_name" varchar(30) DEFAULT '' NOT NULL,
	"audit_time" timestamp (3) with time zone,
	"audit_remark" varchar(200) DEFAULT '' NOT NULL,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "expired_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "warned_days" smallint;--> statement-breakpoint
CREATE UNIQUE INDEX "app_accounts_account" ON "app_accounts" USING btree ("tenant_id",lower("account")) WHERE deleted_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "app_accounts_mobile" ON "app_accounts" USING btree ("tenant_id","mobile_no") WHERE deleted_at is null and mobile_no is not null;--> statement-breakpoint
CREATE INDEX "app_accounts_tenant" ON "app_accounts" USING btree ("tenant_id","uid");--> statement-breakpoint
CREATE INDEX "app_accounts_registered" ON "app_accounts" USING btree ("register_time","uid");--> statement-breakpoint
CREATE INDEX "app_accounts_active" ON "app_accounts" USING btree ("last_active_time","uid");--> statement-breakpoint
CREATE UNIQUE INDEX "industries_name" ON "industries" USING btree ("parent_id","name") WHERE deleted_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "industries_code" ON "industries" USING btree ("code") WHERE deleted_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "user_applications_no" ON "user_applications" USING btree ("apply_no");--> statement-breakpoint
CREATE UNIQUE INDEX "user_applications_pending" ON "user_applications" USING btree ("uid","tenant_id") WHERE status = 0;--> statement-breakpoint
CREATE INDEX "user_applications_tenant" ON "user_applications" USING btree ("tenant_id","id");--> statement-breakpoint
CREATE INDEX "user_applications_open" ON "user_applications" USING btree ("create_time","id") WHERE status = 0;--> statement-breakpoint
CREATE INDEX "user_applications_uid" ON "user_applications" USING btree ("uid","id");--> statement-breakpoint
CREATE INDEX "tenants_industry" ON "tenants" USING btree ("industry_id");--> statement-breakpoint
CREATE INDEX "tenants_expire" ON "tenants" USING btree ("expire_time") WHERE deleted_at is null and expire_time is not null;