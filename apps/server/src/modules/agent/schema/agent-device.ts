import { sql } from 'drizzle-orm'
import {
  bigserial,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  serial,
  smallint,
  text,
  uniqueIndex,
  varchar,
} from 'drizzle-orm/pg-core'
import { audited, moment, remark, tenantPolicy } from '#core/schema/columns.ts'

/** Devices that are bound to an agent. Each has a row in `devices`. */
export const agentDevices = pgTable(
  'agent_devices',
  {
    deviceId: integer().primaryKey(),
    tenantId: integer().notNull(),
    agentId: integer().notNull(),
    /** Twelve lower-case hex digits, as `devices.mac`. */
    mac: varchar({ length: 12 }).notNull(),
    board: varchar({ length: 50 }).notNull().default(''),
    /** Client-Id of the boot that bound the device; empty until the first boot. */
    clientId: varchar({ length: 64 }).notNull().default(''),
    serial: varchar({ length: 64 }).notNull().default(''),
    alias: varchar({ length: 64 }).notNull().default(''),
    /** 1: releases are offered at boot. */
    autoUpdate: smallint().notNull().default(1),
    /** Version as the device reports it. */
    appVersion: varchar({ length: 20 }).notNull().default(''),
    /** Memory of this device, for `memoryScope` 1. */
    memory: varchar({ length: 2000 }).notNull().default(''),
    /** Time of the last change of the memory by a person. Null: no person has changed the memory. */
    memoryEditTime: moment(),
    bootTime: moment(),
    /** Last request of the configuration. */
    sessionTime: moment(),
    /** Voice server of the last request of the configuration, as `agent_servers` names the server. */
    serverAddress: varchar({ length: 45 }).notNull().default(''),
    serverClient: varchar({ length: 64 }).notNull().default(''),
    /** Last reported turn. */
    turnTime: moment(),
    /** Last end of a session. */
    closeTime: moment(),
    /** Open session of the voice server; empty: none. */
    sessionId: varchar({ length: 50 }).notNull().default(''),
    /** Reason to doubt the identity of the device; empty when there is no doubt. */
    identityNote: varchar({ length: 200 }).notNull().default(''),
    /** Another Client-Id that called with this MAC, and the time of the call. A person may accept it. */
    otherClientId: varchar({ length: 64 }).notNull().default(''),
    otherClientTime: moment(),
    ...audited,
  },
  (t) => [
    uniqueIndex('agent_devices_mac').on(t.mac),
    index('agent_devices_tenant').on(t.tenantId, t.deviceId),
    index('agent_devices_agent').on(t.agentId, t.deviceId),
    index('agent_devices_board').on(t.board, t.deviceId),
    index('agent_devices_created').on(t.createTime, t.deviceId),
    index('agent_devices_boot').on(t.bootTime.asc().nullsFirst(), t.deviceId),
    index('agent_devices_turn').on(t.turnTime.asc().nullsFirst(), t.deviceId),
    tenantPolicy(),
  ],
)

/** Codes that unbound devices speak. A person enters the code to bind the device. */
export const agentCodes = pgTable(
  'agent_codes',
  {
    mac: varchar({ length: 12 }).primaryKey(),
    /** Six digits. */
    code: varchar({ length: 6 }).notNull(),
    board: varchar({ length: 50 }).notNull().default(''),
    version: varchar({ length: 20 }).notNull().default(''),
    clientId: varchar({ length: 64 }).notNull().default(''),
    serial: varchar({ length: 64 }).notNull().default(''),
    ip: varchar({ length: 45 }).notNull().default(''),
    createTime: moment().notNull().default(sql`now()`),
    expireTime: moment().notNull(),
  },
  (t) => [
    uniqueIndex('agent_codes_code').on(t.code),
    index('agent_codes_expire').on(t.expireTime),
    index('agent_codes_ip').on(t.ip, t.createTime),
  ],
)

/** HMAC keys of devices with a serial, for the proof at activation. */
export const agentIdentityKeys = pgTable(
  'agent_identity_keys',
  {
    serial: varchar({ length: 64 }).primaryKey(),
    tenantId: integer().notNull(),
    keyEncrypted: varchar({ length: 300 }).notNull(),
    createBy: integer(),
    createTime: moment().notNull().default(sql`now()`),
  },
  (t) => [index('agent_identity_keys_tenant').on(t.tenantId, t.createTime), tenantPolicy()],
)

/** Timeline of a device: boot, code, binding, token, configuration, turns, and end of a session. */
export const agentEvents = pgTable(
  'agent_events',
  {
    id: bigserial({ mode: 'number' }).primaryKey(),
    mac: varchar({ length: 12 }).notNull(),
    /** Null while the device is unknown. */
    tenantId: integer(),
    kind: smallint().notNull(),
    detail: jsonb().$type<Record<string, unknown>>().notNull().default({}),
    createTime: moment().notNull().default(sql`now()`),
  },
  (t) => [index('agent_events_mac').on(t.mac, t.id), index('agent_events_time').on(t.createTime), tenantPolicy()],
)

/** Address book: names under which a device calls other devices. */
export const agentContacts = pgTable(
  'agent_contacts',
  {
    id: serial().primaryKey(),
    tenantId: integer().notNull(),
    mac: varchar({ length: 12 }).notNull(),
    targetMac: varchar({ length: 12 }).notNull(),
    alias: varchar({ length: 64 }).notNull(),
    /** 1: the target may call this device. */
    allowed: smallint().notNull().default(1),
    ...audited,
  },
  (t) => [
    uniqueIndex('agent_contacts_target').on(t.mac, t.targetMac),
    uniqueIndex('agent_contacts_alias').on(t.mac, t.alias),
    index('agent_contacts_called').on(t.targetMac),
    tenantPolicy(),
  ],
)

/** Reminders that users of voice devices set. The agent says a due reminder in the next conversation. */
export const agentReminders = pgTable(
  'agent_reminders',
  {
    id: bigserial({ mode: 'number' }).primaryKey(),
    tenantId: integer().notNull(),
    deviceId: integer().notNull(),
    content: varchar({ length: 200 }).notNull(),
    /** The first conversation after this time gets the reminder. */
    remindTime: moment().notNull(),
    /** Last time at which a voice server received the due reminder. */
    toldTime: moment(),
    /** How often voice servers received the due reminder. */
    toldCount: smallint().notNull().default(0),
    createTime: moment().notNull().default(sql`now()`),
  },
  (t) => [
    index('agent_reminders_device').on(t.deviceId, t.remindTime),
    index('agent_reminders_tenant').on(t.tenantId, t.remindTime),
    tenantPolicy(),
  ],
)

/** Values of parameters. The row of a tenant overrides the row of the platform; secrets are in `agent_secrets`. */
export const agentParams = pgTable(
  'agent_params',
  {
    tenantId: integer().notNull(),
    code: varchar({ length: 100 }).notNull(),
    value: text().notNull().default(''),
    remark: remark(),
    ...audited,
  },
  (t) => [primaryKey({ name: 'agent_params_pk', columns: [t.tenantId, t.code] }), tenantPolicy()],
)

/** Voice servers that called OMS, with their addresses and the times of their calls. */
export const agentServers = pgTable(
  'agent_servers',
  {
    /** Tenant of the secret with which the server called. */
    tenantId: integer().notNull(),
    address: varchar({ length: 45 }).notNull(),
    client: varchar({ length: 64 }).notNull(),
    firstTime: moment().notNull().default(sql`now()`),
    lastTime: moment().notNull().default(sql`now()`),
    /** Last request of the base configuration, at the start of the server or a reload. */
    baseTime: moment(),
  },
  (t) => [primaryKey({ name: 'agent_servers_pk', columns: [t.tenantId, t.address, t.client] }), tenantPolicy()],
)
