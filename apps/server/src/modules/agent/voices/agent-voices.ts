import type { Pool } from 'pg'
import { BatchedRead } from '#core/database/statements/batched-read.ts'

/** A voice, or a trained clone of a voice. */
export interface AgentVoice {
  readonly code: string
  /** Null for clones. */
  readonly languages: string | null
  readonly audio: string
  readonly text: string
  readonly isClone: boolean
}

type Row = AgentVoice & { readonly id: number }

const VOICES = {
  name: 'agent-voices',
  text: `select id, code, languages, reference_audio as audio, reference_text as text, false as "isClone"
    from agent_voices where id = any($1::int[]) and deleted_at is null`,
}
const CLONES = {
  name: 'agent-clones',
  text: `select id, voice_id as code, null as languages, '' as audio, '' as text, true as "isClone"
    from agent_voice_clones where id = any($1::int[]) and deleted_at is null and state = 2 and voice_id <> ''`,
}

/** Reads the voices of agents. Caches nothing. Simultaneous calls share a statement. */
export class AgentVoices {
  readonly #voices: BatchedRead<number, Row, AgentVoice>
  readonly #clones: BatchedRead<number, Row, AgentVoice>

  constructor(pool: Pool) {
    const readWith = (statement: typeof VOICES) => async (ids: readonly number[]) => {
      const { rows } = await pool.query<Row>({ ...statement, values: [ids] })
      return new Map(rows.map((row) => [row.id, row]))
    }
    const valueOf = (row: Row): AgentVoice => Object.freeze(row)
    this.#voices = new BatchedRead({ read: readWith(VOICES), valueOf })
    this.#clones = new BatchedRead({ read: readWith(CLONES), valueOf })
  }

  /** Returns the trained clone, or the voice when there is no trained clone. */
  async of({ voiceId, cloneId }: { readonly voiceId: number | null; readonly cloneId: number | null }) {
    const [clone, voice] = await Promise.all([
      cloneId === null ? undefined : this.#clones.get(cloneId),
      voiceId === null ? undefined : this.#voices.get(voiceId),
    ])
    return clone ?? voice
  }
}
