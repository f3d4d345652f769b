import { createHash, randomBytes } from 'node:crypto'
import { USAGE_SOURCE, USAGE_UNIT } from '@oms/contract/agent/usage/usage-unit.ts'
import { inArray, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import type { Services } from '#core/services.ts'
import { putBytes } from '#core/storage/open-store.ts'
import { extractBehaviour } from '#modules/agent/agents/agent-secrets.ts'
import { agents, agentVersions } from '#modules/agent/schema/agent.ts'
import type { Demo } from './call.ts'
import { MODEL_PRICES } from './demo-model.ts'
import { createTone } from './media.ts'

const VOICE_TYPE = ['语音设备', 'voice'] as const
/** Name, code and board of each model. */
const VOICE_MODELS = [
  ['小智面包板', 'XZ-BREAD', 'bread-compact-wifi'],
  ['小智桌面机器人', 'XZ-BOX3', 'esp-box-3'],
  ['小智口袋版', 'XZ-C3', 'xmini-c3'],
] as const

interface DemoAgent {
  readonly name: string
  readonly template: string
  /** Index of the owner among the tenants by id. 0 is the platform. */
  readonly owner: number
  readonly devices: number
  readonly tags: readonly string[]
  /** 1 per device, 2 per agent. */
  readonly memoryScope: 1 | 2
  readonly memory: string
}
const AGENTS: readonly DemoAgent[] = [
  {
    name: '展厅讲解员',
    template: '湾湾小何',
    owner: 0,
    devices: 8,
    tags: ['展厅'],
    memoryScope: 2,
    memory: '展厅每周一闭馆；访客常问新款音箱的价格。',
  },
  {
    name: '海川小管家',
    template: '星际游子',
    owner: 1,
    devices: 20,
    tags: ['家居', '量产'],
    memoryScope: 1,
    memory: '',
  },
  { name: '云栖英语伙伴', template: '英语老师', owner: 2, devices: 12, tags: ['教育'], memoryScope: 1, memory: '' },
]

/** Names of voice devices. A number is appended to each name. */
const DEVICE_NAMES = ['客厅', '书房', '儿童房', '展台', '前台'] as const

/** Memories of the demo devices. */
const MEMORIES = [
  '主人喜欢爵士乐，晚上十点后说话小声一点。',
  '家里有一只叫年糕的猫；女儿叫朵朵，上二年级。',
  '用户住在杭州滨江，每天七点半出门。',
  '正在准备英语六级，每天背二十个单词。',
] as const

/** Conversations: the title, then questions and answers alternately. */
const CONVERSATIONS: readonly (readonly [title: string, ...words: string[]])[] = [
  [
    '询问杭州天气',
    '今天天气怎么样',
    '杭州今天多云，二十六度，傍晚可能有小雨，出门带把伞吧。',
    '明天呢',
    '明天转晴，最高三十度，适合出去走走。',
  ],
  [
    '睡前故事',
    '给我讲个故事',
    '从前有只小狐狸，每天晚上都要数完星星才肯睡。',
    '它数了几颗',
    '数到第九十九颗，它就睡着了，剩下那颗留给你。',
  ],
  ['设置起床闹钟', '明早七点叫我起床', '好的，明早七点叫你，周末也要叫吗？', '周末不用', '记住了，只在工作日叫你。'],
  [
    '练习英语点餐',
    '我想练习点餐',
    'Sure! Welcome to our cafe. What would you like to drink?',
    'I want a cup of latte',
    'Great choice! Hot or iced?',
  ],
  ['播放轻音乐', '放点轻松的音乐', '好，给你放一首钢琴曲。', '声音小一点', '已经调小了。'],
  [
    '询问保修期限',
    '这台设备保修多久',
    '整机保修两年，从激活那天算起。',
    '坏了找谁',
    '可以在App里报修，或者直接告诉我，我帮你登记。',
  ],
  [
    '数学作业辅导',
    '七乘八等于多少',
    '七八五十六。你是怎么记乘法口诀的呀？',
    '背下来的',
    '很棒，那九乘六呢，你来答我。',
  ],
  [
    '聊聊宇宙',
    '黑洞是什么',
    '黑洞是引力大到连光都跑不掉的地方。',
    '掉进去会怎样',
    '我猜会被拉成长长的面条，还好离我们很远。',
  ],
]

/** Names in address books, and speakers with their introduction. */
const CONTACT_NAMES = ['奶奶家', '工作室', '隔壁小明'] as const
const SPEAKERS = [
  ['妈妈', '家里的女主人，喜欢听新闻'],
  ['朵朵', '女儿，二年级'],
  ['爷爷', '喜欢听戏，说话慢'],
] as const

/** Days since the oldest voice device was bound. */
const DAYS_BOUND = 60
/** Every thirteenth device has never booted since its binding. */
const SILENT_EVERY = 13

/**
 * Creates three agents from shipped templates, forty bound voice devices on three boards, their address books, some
 * parameters, conversations and voice clones. The number of statements does not depend on the number of rows.
 */
export async function seedDemoAgents({ services, db, actor }: Demo) {
  const { uid } = actor.user
  await addAgents(db, uid)
  await addPrices(db)
  await addModels(db, uid)
  await addDevices(db, uid)
  await addContacts(db)
  await addParameters(db)
  await addTalks(services, db)
  await addClones(services, db, uid)
}

/** Creates the agents with the behaviour of their template, which is also their version 1. */
async function addAgents(db: Db, uid: number) {
  const names = JSON.stringify(AGENTS.map((agent, place) => ({ ...agent, place })))
  await db.execute(sql`
    create temp table demo_agents on commit drop as
    select a.place, a.devices, a.memory, a."memoryScope" as scope, a.name, a.tags, t.id as tenant_id, p.id as template_id,
      now() - make_interval(days => ${DAYS_BOUND} + 10 - a.place) as created
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
  const places = sql.raw(`(array[${DEVICE_NAMES.map((place) => `'${place}'`).join()}])`)
  const memories = sql.raw(`(array[${MEMORIES.map((memory) => `'${memory}'`).join()}])`)
  const boot = sql`case when n % ${SILENT_EVERY}::int = 0 then null else now() - make_interval(mins => (n * 37) % 600) end`
  await db.execute(sql`
    create temp table demo_voice on commit drop as
    select (row_number() over (order by a.place, g))::int as n, a.agent_id, a.tenant_id, a.scope,
      '24dc' || lpad(to_hex(a.place * 4096 + g * 257 + 39321), 8, '0') as mac
    from demo_agents a cross join lateral generate_series(1, a.devices) g`)
  await db.execute(sql`
    insert into devices (tenant_id, model_id, sn, dev_name, mac, ver_code, hw_ver, ip, region, status, online, last_online_time,
      activate_time, create_by, update_by, create_time, update_time)
    select v.tenant_id, m.id, v.mac, ${places}[1 + n % ${DEVICE_NAMES.length}::int] || ' ' || n, v.mac,
      case when n % ${SILENT_EVERY}::int = 0 then null else 2000004 end, '', '203.0.113.' || (1 + n % 250), '浙江 杭州', 1,
      case when n % 4 = 0 and n % ${SILENT_EVERY}::int > 0 then 1 else 0 end, ${boot},
      case when n % ${SILENT_EVERY}::int = 0 then null else now() - make_interval(days => (${DAYS_BOUND} - n)::int) end,
      ${uid}::int, ${uid}::int, now() - make_interval(days => (${DAYS_BOUND} - n)::int), now() - make_interval(days => (${DAYS_BOUND} - n)::int)
    from demo_voice v join device_models m on m.boards = array[${boards}[(1 + n % 3)::int]] and m.deleted_at is null order by n`)
  await db.execute(sql`
    insert into agent_devices (device_id, tenant_id, agent_id, mac, board, client_id, alias, auto_update, app_version, memory,
      boot_time, session_time, create_by, update_by, create_time, update_time)
    select d.id, v.tenant_id, v.agent_id, v.mac, ${boards}[(1 + n % 3)::int],
      case when n % ${SILENT_EVERY}::int = 0 then '' else md5(v.mac)::uuid::text end, '', case when n % 10 = 0 then 0 else 1 end,
      case when n % ${SILENT_EVERY}::int = 0 then '' else '2.0.4' end,
      case when v.scope = 1 and n % 3 > 0 then ${memories}[(1 + n % ${MEMORIES.length}::int)::int] else '' end, ${boot}, ${boot},
      ${uid}::int, ${uid}::int, d.create_time, d.create_time
    from demo_voice v join devices d on d.mac = v.mac and d.deleted_at is null order by n`)
}

/** Adds contacts: every third device may call its two neighbours of the same tenant. */
async function addContacts(db: Db) {
  const names = sql.raw(`(array[${CONTACT_NAMES.map((name) => `'${name}'`).join()}])`)
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

/** Number of turns of the demo. */
const TURNS = 2000
const TURNS_OF_SESSION = 4
const TALK_DAYS = 28

/**
 * Creates 2,000 turns in 500 titled sessions of the bound devices. The latest user turns of each agent in the last
 * seven days have audio.
 */
async function addTalks(services: Services, db: Db) {
  await addSessions(db)
  await addTurns(db)
  await addSums(db)
  await addUsage(db)
  const { rows } = await db.execute<{ agentId: number; tenantId: number; n: number }>(
    sql`select agent_id as "agentId", tenant_id as "tenantId", place as n from demo_agents order by place`,
  )
  for (const { agentId, tenantId, n } of rows) await addAudio(services, db, { agentId, tenantId, n })
  await addSpeakers(db)
}

async function addSessions(db: Db) {
  const titles = JSON.stringify(CONVERSATIONS.map(([title], place) => ({ title, place })))
  await db.execute(sql`
    create temp table demo_talks on commit drop as
    select s as n, v.agent_id, v.tenant_id, d.id as device_id, s % ${CONVERSATIONS.length}::int as talk,
      greatest(d.create_time + interval '1 hour',
        now() - make_interval(mins => (s * ${TALK_DAYS}::int * 1440 / ${TURNS / TURNS_OF_SESSION}::int) + 15)) as began
    from generate_series(0, ${TURNS / TURNS_OF_SESSION - 1}::int) s
    join (select v.*, row_number() over (order by v.n) - 1 as place, count(*) over () as devices
      from demo_voice v where v.n % 13 > 0) v on v.place = s % v.devices
    join devices d on d.mac = v.mac and d.deleted_at is null`)
  await db.execute(sql`
    insert into agent_sessions (tenant_id, session_id, device_id, agent_id, version_no, title, first_time, last_time, end_time)
    select t.tenant_id, md5('demo' || n)::uuid::text, device_id, agent_id, 1, w.title, began,
      began + interval '36 seconds', began + interval '2 minutes'
    from demo_talks t join json_to_recordset(${titles}) as w (title text, place int) on w.place = t.talk order by n`)
}

async function addTurns(db: Db) {
  const words = JSON.stringify(
    CONVERSATIONS.flatMap(([, ...turns], talk) =>
      turns.map((content, step) => ({
        talk,
        step,
        content,
        kind: step % 2 === 0 ? 1 : 2,
        md5: createHash('md5').update(content).digest('hex'),
        characters: content.length,
      })),
    ),
  )
  await db.execute(sql`
    insert into agent_turns (report_time, tenant_id, session_row_id, device_id, agent_id, kind, content, content_md5, characters, seconds)
    select s.first_time + make_interval(secs => w.step * 12), s.tenant_id, s.id, s.device_id, s.agent_id, w.kind, w.content, w.md5,
      w.characters, round((w.characters / 4.5)::numeric, 1)
    from demo_talks t join agent_sessions s on s.tenant_id = t.tenant_id and s.session_id = md5('demo' || t.n)::uuid::text
    join json_to_recordset(${words}) as w (talk int, step int, kind int, content text, md5 text, characters int) on w.talk = t.talk
    order by 1`)
}

/** Stores the sums of each session and the last session of each device. */
async function addSums(db: Db) {
  await db.execute(sql`
    update agent_sessions s set turns = t.n, characters = t.characters, seconds = t.seconds from (
      select session_row_id, count(*) filter (where kind = 1)::int as n, sum(characters)::int as characters, sum(seconds) as seconds
      from agent_turns group by 1) t where t.session_row_id = s.id`)
  await db.execute(sql`
    update agent_devices d set turn_time = s.last, session_time = s.first, close_time = s.ended from (
      select distinct on (device_id) device_id, last_time as last, first_time as first, end_time as ended
      from agent_sessions order by device_id, last_time desc) s where s.device_id = d.device_id`)
}

/** Stores one recording per agent, which its latest user turns share. */
async function addAudio(
  services: Services,
  db: Db,
  { agentId, tenantId, n }: { agentId: number; tenantId: number; n: number },
) {
  const { sha256, sha1, md5, size } = await putBytes(services.files, createTone(1.5, 220 + 110 * n))
  await db.execute(sql`
    with chosen as (
      select report_time, id from agent_turns where agent_id = ${agentId} and kind = 1
        and report_time > now() - interval '7 days' order by report_time desc limit 60),
    stored as (
      insert into files (id, tenant_id, purpose, name, mime, size, md5, sha1, sha256, create_time, used_time)
      select md5(${randomBytes(8).toString('hex')}::text || id), ${tenantId}::int, 'agentTurn', 'turn-' || id || '.wav', 'audio/wav', ${size}::bigint,
        ${md5}, ${sha1}, ${sha256}, report_time, report_time from chosen returning id, name)
    update agent_turns t set audio_id = stored.id from stored
    where stored.name = 'turn-' || t.id || '.wav' and t.agent_id = ${agentId}`)
}

/** Creates the voiceprints of the second agent, and stores the names of its speakers with some of its turns. */
async function addSpeakers(db: Db) {
  const speakers = JSON.stringify(SPEAKERS.map(([name, introduction], place) => ({ name, introduction, place })))
  await db.execute(sql`
    with chosen as (
      select t.id, t.audio_id, t.report_time, t.tenant_id, t.agent_id,
        row_number() over (order by t.report_time desc) - 1 as place
      from agent_turns t join demo_agents a on a.agent_id = t.agent_id and a.place = 1
      where t.kind = 1 and t.audio_id <> '')
    insert into agent_voiceprints (tenant_id, agent_id, name, introduction, turn_id, audio_id, create_time, update_time)
    select c.tenant_id, c.agent_id, s.name, s.introduction, c.id, c.audio_id, now() - interval '2 hours', now() - interval '2 hours'
    from chosen c join json_to_recordset(${speakers}) as s (name text, introduction text, place int) on s.place = c.place
    order by s.place`)
  await db.execute(sql`
    update agent_turns t set speaker = (array(select name from agent_voiceprints p where p.agent_id = t.agent_id order by p.id))[
      (1 + t.session_row_id % ${SPEAKERS.length}::int)::int]
    from demo_agents a where a.agent_id = t.agent_id and a.place = 1 and t.kind = 1 and t.session_row_id % 5 < 3`)
}

const { sessions, turns, characters, seconds, tokensIn, tokensOut } = USAGE_UNIT
/** Tokens of the prompt and the history, which are added to those of each demo question. */
const SENT = 420

/**
 * Records the usage of the demo conversations, as if voice servers had reported them. Must run after the turns are
 * stored.
 */
async function addUsage(db: Db) {
  await db.execute(sql`
    insert into agent_usage (day, tenant_id, agent_id, device_id, model_id, source, unit, is_estimate, n, cost, folded)
    select t.report_time::date, t.tenant_id, t.agent_id, t.device_id, coalesce(x.model_id, 0), ${USAGE_SOURCE.device}::int, x.unit,
      x.is_estimate, sum(x.n), sum(x.cost), 1
    from agent_turns t join agents a on a.id = t.agent_id
      left join agent_models l on l.id = a.llm_id
      left join agent_models s on s.id = a.tts_id
      left join agent_models r on r.id = a.asr_id
      cross join lateral (values
        (${turns}::int, a.llm_id, 0, 1::numeric, 0::numeric, t.kind = 1),
        (${characters}::int, a.tts_id, 0, t.characters, t.characters * coalesce(s.price_out, 0) / 10000.0, t.kind = 2),
        (${seconds}::int, a.asr_id, 0, t.seconds, round(t.seconds * coalesce(r.price_in, 0) / 3600, 6), t.kind = 1),
        (${seconds}::int, a.tts_id, 0, t.seconds, 0, t.kind = 2),
        (${tokensIn}::int, a.llm_id, 1, t.characters + ${SENT}::int, (t.characters + ${SENT}::int) * coalesce(l.price_in, 0) / 1000000.0, t.kind = 1),
        (${tokensOut}::int, a.llm_id, 1, t.characters, t.characters * coalesce(l.price_out, 0) / 1000000.0, t.kind = 2)
      ) as x (unit, model_id, is_estimate, n, cost, is_counted)
    where x.is_counted and x.n > 0 group by 1, 2, 3, 4, 5, x.unit, x.is_estimate`)
  await db.execute(sql`
    insert into agent_usage (day, tenant_id, agent_id, device_id, model_id, source, unit, n, folded)
    select s.first_time::date, s.tenant_id, s.agent_id, s.device_id, coalesce(a.llm_id, 0), ${USAGE_SOURCE.device}::int,
      ${sessions}::int, count(*), 1
    from agent_sessions s join agents a on a.id = s.agent_id group by 1, 2, 3, 4, 5`)
}

/** Model that trains the clones. The demo has no account of the vendor, so no clone is really trained. */
const CLONE_MODEL = 'TTS_HuoshanDoubleStreamTTS'
const CLONE_SECONDS = 12
/** Name, voice id of the vendor, speaker, state and reason of a failure. */
const CLONES = [
  ['客服小周', 'S_demo000001', '周雨晴', 2, ''],
  ['讲解员老陈', 'S_demo000002', '陈国梁', 3, '录音与音色 ID 的语种不一致，请重新录音'],
] as const

/** Creates a trained and a failed clone for the platform, with their recordings. */
async function addClones({ files }: Pick<Services, 'files'>, db: Db, uid: number) {
  const { sha256, sha1, md5, size } = await putBytes(files, createTone(CLONE_SECONDS, 330))
  const clones = JSON.stringify(
    CLONES.map(([name, voice, speaker, state, error]) => ({
      name,
      voice,
      speaker,
      state,
      error,
      file: randomBytes(16).toString('hex'),
    })),
  )
  await db.execute(sql`
    with clone as (select * from json_to_recordset(${clones}) as c
      (name text, voice text, speaker text, state int, error text, file text)),
    recording as (
      insert into files (id, tenant_id, uid, purpose, name, mime, size, md5, sha1, sha256, create_time, used_time)
      select file, 1, ${uid}::int, 'agentAudio', name || '.wav', 'audio/wav', ${size}::bigint, ${md5}, ${sha1}, ${sha256},
        now() - interval '9 days', now() - interval '9 days' from clone returning id)
    insert into agent_voice_clones (tenant_id, model_id, name, voice_id, file_id, file_name, seconds, state, error,
      consent_speaker, consent_time, create_by, update_by, create_time, update_time)
    select 1, m.id, c.name, c.voice, c.file, c.name || '.wav', ${CLONE_SECONDS}::int, c.state, c.error, c.speaker,
      now() - interval '10 days', ${uid}::int, ${uid}::int, now() - interval '9 days', now() - interval '9 days'
    from clone c join agent_models m on m.code = ${CLONE_MODEL} and m.deleted_at is null`)
}
