import { inArray, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { extractBehaviour } from '#modules/agent/agents/agent-behaviour.ts'
import { agents, agentVersions } from '#modules/agent/schema/agent.ts'
import {
  DEMO_CONTACT_NAMES,
  DEMO_AGENTS,
  DEMO_MEMORIES,
  MODEL_PRICES,
  DEMO_DEVICE_NAMES,
  VOICE_MODELS,
  VOICE_TYPE,
} from './agent-words.ts'

/** Days since the oldest voice device was bound. */
const DAYS = 60
/** Every thirteenth device has never booted since its binding. */
const SILENT_EVERY = 13

/**
 * Creates three agents from shipped templates, forty bound voice devices on three boards, their address books and some
 * parameters. The number of statements does not depend on the number of rows.
 */
export async function seedDemoAgents(db: Db, uid: number) {
  await addAgents(db, uid)
  await addPrices(db)
  await addModels(db, uid)
  await addDevices(db, uid)
  await addContacts(db)
  await addParameters(db)
}

/** Creates the agents with the behaviour of their template, which is also their version 1. */
async function addAgents(db: Db, uid: number) {
  const names = JSON.stringify(DEMO_AGENTS.map((agent, place) => ({ ...agent, place })))
  await db.execute(sql`
    create temp table demo_agents on commit drop as
    select a.place, a.devices, a.memory, a."memoryScope" as scope, a.name, a.tags, t.id as tenant_id, p.id as template_id,
      now() - make_interval(days => ${DAYS} + 10 - a.place) as created
    from json_to_recordset(${names}) as a (place int, name text, template text, owner int, devices int, tags text[],
      "memoryScope" int, memory text)
    join (select id, row_number() over (order by id) - 1 as rank from tenants where deleted_at is null) t on t.rank = a.owner
    join agent_templates p on p.template_name = a.template and p.tenant_id = 1 and p.deleted_at is null`)
  await db.execute(sql`
    insert into agents (tenant_id, agent_code, agent_name, llm_id, vllm_id, slm_id, tts_id, asr_id, vad_id, mem_id, intent_id,
      voice_id, tts_language, system_prompt, chat_history_conf, memory_scope, lang_code, language, plugins, context_providers,
      tags, tools, memory, create_by, update_by, create_time, update_time)
    select d.tenant_id, 'AGT_' || (extract(epoch from d.created) * 1000)::bigint || '000' || d.place, d.name, p.llm_id, p.vllm_id,
      coalesce(p.slm_id, p.llm_id), p.tts_id, p.asr_id, p.vad_id,
      coalesce((select id from agent_models where code = 'Memory_mem_local_short' and deleted_at is null), p.mem_id), p.intent_id,
      p.voice_id, p.tts_language, p.system_prompt, 2, d.scope, p.lang_code, p.language, p.plugins, p.context_providers, d.tags,
      '{repair,warranty,firmware}', d.memory, ${uid}::int, ${uid}::int, d.created, d.created
    from demo_agents d join agent_templates p on p.id = d.template_id order by d.place`)
  await db.execute(sql`alter table demo_agents add agent_id int`)
  await db.execute(sql`update demo_agents d set agent_id = a.id from agents a
    where a.tenant_id = d.tenant_id and a.agent_name = d.name and a.deleted_at is null`)
  await addVersions(db)
  await db.execute(
    sql`update agent_templates p set use_count = use_count + 1 from demo_agents d where p.id = d.template_id`,
  )
}

/** Creates version 1 of each agent of the demo. */
async function addVersions(db: Db) {
  const made = await db.select().from(agents).where(inArray(agents.id, sql`(select agent_id from demo_agents)`))
  const versions = made.map((row) => ({
    agentId: row.id,
    versionNo: 1,
    tenantId: row.tenantId,
    source: 4,
    createBy: row.createBy,
    snapshot: { agentName: row.agentName, ...extractBehaviour(row), secrets: {} },
    createTime: row.createTime,
  }))
  await db.insert(agentVersions).values(versions)
}

/** Sets the prices of the shipped models that the agents use. */
async function addPrices(db: Db) {
  const prices = JSON.stringify(Object.entries(MODEL_PRICES).map(([code, price]) => ({ code, ...price })))
  await db.execute(sql`
    update agent_models m set price_in = p."priceIn", price_out = p."priceOut"
    from json_to_recordset(${prices}) as p (code text, "priceIn" int, "priceOut" int)
    where m.code = p.code and m.tenant_id = 1 and m.deleted_at is null`)
}

async function addModels(db: Db, uid: number) {
  const models = JSON.stringify(VOICE_MODELS.map(([name, code, board], place) => ({ name, code, board, place })))
  const [typeName, typeCode] = VOICE_TYPE
  await db.execute(sql`
    with type as (
      insert into device_types (type_name, type_code, sort, create_by, update_by, create_time)
      values (${typeName}, ${typeCode}, 60, ${uid}::int, ${uid}::int, now() - interval '420 days')
      on conflict (type_code) where deleted_at is null do update set type_code = excluded.type_code returning id)
    insert into device_models (type_id, model_name, model_code, chip, boards, create_by, update_by, create_time)
    select type.id, m.name, m.code, 'ESP32', array[m.board], ${uid}::int, ${uid}::int, now() - interval '410 days'
    from type, json_to_recordset(${models}) as m (place int, name text, code text, board text) order by m.place`)
}

async function addDevices(db: Db, uid: number) {
  const boards = sql.raw(`(array[${VOICE_MODELS.map(([, , board]) => `'${board}'`).join()}])`)
  const places = sql.raw(`(array[${DEMO_DEVICE_NAMES.map((place) => `'${place}'`).join()}])`)
  const memories = sql.raw(`(array[${DEMO_MEMORIES.map((memory) => `'${memory}'`).join()}])`)
  const boot = sql`case when n % ${SILENT_EVERY}::int = 0 then null else now() - make_interval(mins => (n * 37) % 600) end`
  await db.execute(sql`
    create temp table demo_voice on commit drop as
    select (row_number() over (order by a.place, g))::int as n, a.agent_id, a.tenant_id, a.scope,
      '24dc' || lpad(to_hex(a.place * 4096 + g * 257 + 39321), 8, '0') as mac
    from demo_agents a cross join lateral generate_series(1, a.devices) g`)
  await db.execute(sql`
    insert into devices (tenant_id, model_id, sn, dev_name, mac, ver_code, hw_ver, ip, region, status, online, last_online_time,
      activate_time, create_by, update_by, create_time, update_time)
    select v.tenant_id, m.id, v.mac, ${places}[1 + n % ${DEMO_DEVICE_NAMES.length}::int] || ' ' || n, v.mac,
      case when n % ${SILENT_EVERY}::int = 0 then null else 2000004 end, '', '203.0.113.' || (1 + n % 250), '浙江 杭州', 1,
      case when n % 4 = 0 and n % ${SILENT_EVERY}::int > 0 then 1 else 0 end, ${boot},
      case when n % ${SILENT_EVERY}::int = 0 then null else now() - make_interval(days => (${DAYS} - n)::int) end,
      ${uid}::int, ${uid}::int, now() - make_interval(days => (${DAYS} - n)::int), now() - make_interval(days => (${DAYS} - n)::int)
    from demo_voice v join device_models m on m.boards = array[${boards}[(1 + n % 3)::int]] and m.deleted_at is null order by n`)
  await db.execute(sql`
    insert into agent_devices (device_id, tenant_id, agent_id, mac, board, client_id, alias, auto_update, app_version, memory,
      boot_time, session_time, create_by, update_by, create_time, update_time)
    select d.id, v.tenant_id, v.agent_id, v.mac, ${boards}[(1 + n % 3)::int],
      case when n % ${SILENT_EVERY}::int = 0 then '' else md5(v.mac)::uuid::text end, '', case when n % 10 = 0 then 0 else 1 end,
      case when n % ${SILENT_EVERY}::int = 0 then '' else '2.0.4' end,
      case when v.scope = 1 and n % 3 > 0 then ${memories}[(1 + n % ${DEMO_MEMORIES.length}::int)::int] else '' end, ${boot}, ${boot},
      ${uid}::int, ${uid}::int, d.create_time, d.create_time
    from demo_voice v join devices d on d.mac = v.mac and d.deleted_at is null order by n`)
}

/** Adds contacts: every third device may call its two neighbours of the same tenant. */
async function addContacts(db: Db) {
  const names = sql.raw(`(array[${DEMO_CONTACT_NAMES.map((name) => `'${name}'`).join()}])`)
  await db.execute(sql`
    insert into agent_contacts (tenant_id, mac, target_mac, alias)
    select v.tenant_id, v.mac, t.mac, ${names}[k]
    from demo_voice v cross join generate_series(1, 2) k join demo_voice t on t.n = v.n + k and t.tenant_id = v.tenant_id
    where v.n % 3 = 0`)
}

/**
 * Adds parameters of one customer: it keeps conversations for a shorter time than the platform, and stops devices
 * without a package.
 */
async function addParameters(db: Db) {
  await db.execute(sql`
    insert into agent_params (tenant_id, code, value, remark)
    select distinct tenant_id, p.code, p.value, p.remark from demo_agents
    cross join (values ('history.days', '90', '按客户合同，对话文字保留 90 天'), ('history.audio_days', '7', '录音保留一周'),
      ('usage.limit', '2', '按客户合同，套餐用完即停'), ('usage.notice', '小伙伴的学习时长用完啦，请家长续费后再来聊天。', ''))
      as p (code, value, remark) where place = 2`)
}
