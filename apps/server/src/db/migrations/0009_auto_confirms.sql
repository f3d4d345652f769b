CREATE TABLE "device_auto_confirms" (
	"device_id" integer PRIMARY KEY NOT NULL,
	"initiator" varchar(64) DEFAULT '' NOT NULL,
	"remark" varchar(200) DEFAULT '' NOT NULL,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL
);
