import type { Pool } from 'pg'
import { BatchQueue } from '#core/database/statements/batched-read.ts'
import { formatOpenModelSql } from '../models/open-models.ts'
import type { AgentParameters } from '../parameters/parameters.ts'
import type { ReportedTurn } from './turn.ts'
import { storeTurns, type TurnRow } from './store-turns.ts'

const MAX_BATCH_TURNS = 1000
const PAUSE_MS = 20
/**
 * Maximum number of waiting reports. Further reports are refused, because they would time out before they are stored.
 */
const MAX_WAITING = 20_000

/** A recording in the file store. */
export interface TurnAudio {
  /** `files.id`. */
  readonly id: string
  readonly seconds: number
}

export interface TurnReport {
  /** Twelve hex digits. */
  readonly mac: string
  /** Tenant of the secret. */
  readonly serverTenant: number
  readonly sessionId: string
  readonly turn: ReportedTurn
  readonly audio: TurnAudio | undefined
}

/** The device of a report, its agent, and the models and prompt length from which the usage of a turn is calculated. */
export interface ReportTarget {
  readonly deviceId: number
  readonly tenantId: number
  readonly agentId: number
  readonly versionNo: number
  readonly llmId: number | null
  readonly ttsId: number | null
  readonly asrId: number | null
  readonly promptCharacters: number
  /** 0 stores nothing, 1 text, 2 text and audio. Turns are counted in every case. */
  readonly keeps: number
}

interface Found extends Omit<ReportTarget, 'keeps'> {
  readonly mac: string
  readonly conf: number
}

/** Thrown when too many reports wait for the database. */
export class TurnsBusy extends Error {
  override readonly name = 'TurnsBusy'
}

/**
 * Finds the device, the agent and its models. Like `keepOpenModels`, returns the fallback model while agents of the
 * tenant may not use the language model.
 */
const FIND = `select d.mac, d.device_id as "deviceId", d.tenant_id as "tenantId", d.agent_id as "agentId",
    a.version_no as "versionNo", case when m.provider_code = 'nomem' then 0 else a.chat_history_conf end as conf,
    case when ${formatOpenModelSql('l')} then a.llm_id else coalesce(l.fallback_model_id, a.llm_id) end as "llmId",
    a.tts_id as "ttsId", a.asr_id as "asrId",
    char_length(a.system_prompt) as "promptCharacters"
  from agent_devices d join agents a on a.id = d.agent_id and a.deleted_at is null
    left join agent_models m on m.id = a.mem_id
    left join agent_models l on l.id = a.llm_id where d.mac = any($1::varchar[])`

interface Parts {
  readonly pool: Pool
  readonly parameters: AgentParameters
  readonly secretKey: Buffer
}

/** Writes the reports of all voice servers in batches of up to 20 ms or 1,000 turns. One batch runs at a time. */
export class TurnWriter {
  readonly #parts: Parts
  readonly #queue: BatchQueue<TurnReport, boolean>

  constructor(parts: Parts) {
    this.#parts = parts
    this.#queue = new BatchQueue({
      rowsOf: () => 1,
      batchRows: MAX_BATCH_TURNS,
      pauseMs: PAUSE_MS,
      maxRows: MAX_WAITING,
      busy: () => new TurnsBusy('too many reports wait'),
      write: (reports) => this.#write(reports),
    })
  }

  /** Stores a turn. Resolves after the commit; false for a device without an agent. */
  add(report: TurnReport): Promise<boolean> {
    return this.#queue.add(report)
  }

  /** Returns the target of each MAC. */
  async targetsOf(macs: readonly string[]): Promise<Map<string, ReportTarget>> {
    const { pool, parameters } = this.#parts
    const { rows } = await pool.query<Found>({ name: 'agent-report-target', text: FIND, values: [[...new Set(macs)]] })
    const targets = new Map<string, ReportTarget>()
    for (const { mac, conf, ...target } of rows) {
      const params = await parameters.of(target.tenantId)
      targets.set(mac, { ...target, keeps: params.text('history.mode') === '1' ? 0 : conf })
    }
    return targets
  }

  /** Resolves when the turns that were added before the call are written. Later turns are not awaited. */
  written() {
    return this.#queue.written()
  }

  async #write(reports: readonly TurnReport[]): Promise<boolean[]> {
    const targets = await this.targetsOf(reports.map(({ mac }) => mac))
    const rows: TurnRow[] = []
    const accepted = reports.map((report) => {
      const target = targets.get(report.mac)
      const isOwn = target !== undefined && (report.serverTenant === 1 || report.serverTenant === target.tenantId)
      if (isOwn) rows.push({ ...report, target })
      return isOwn
    })
    await storeTurns(this.#parts, rows)
    return accepted
  }
}
