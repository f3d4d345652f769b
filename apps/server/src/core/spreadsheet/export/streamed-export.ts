import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { TRANSFER_MESSAGES } from '@oms/contract/core/transfer.ts'
import type * as z from 'zod'
import type { Ctx, User } from '#core/http/context.ts'
import type { StreamResponse } from '#core/http/implement.ts'
import type { Services } from '#core/services.ts'
import type { Column, Row } from '#core/spreadsheet/cell.ts'
import { type ColumnSpec, createCodeTranslator, createExportColumns } from '#core/spreadsheet/columns.ts'
import { addTransfer } from '#core/spreadsheet/transfer-jobs.ts'
import { createJobResponse, type ExportEndpoint } from './export.ts'

export interface StreamSource<E extends ExportEndpoint> {
  readonly services: Services
  readonly input: ParsedOf<E>
  /** Returns the account. Called for every batch, so that a revoked permission stops a long export. */
  user(): Promise<User>
  readonly signal: AbortSignal
}

/** An export of rows without a single numeric key. It always runs as a job. */
interface StreamedDefinition<E extends ExportEndpoint, R extends Row> {
  readonly kind: string
  readonly endpoint: E
  readonly sheet: string
  readonly schema: z.ZodObject
  readonly columns: readonly ColumnSpec[]
  /** Yields batches of rows with the total number of rows. */
  batches(source: StreamSource<E>): AsyncGenerator<{ readonly rows: readonly R[]; readonly total: number }>
}
type Streamed = StreamedDefinition<ExportEndpoint, Row> & { readonly all: readonly Column[] }

const STREAMED = new Map<string, Streamed>()
export const findStreamedExport = (kind: string) => STREAMED.get(kind)

/** Declares an export that always runs as a job, and returns its handler. */
export function defineStreamedExport<E extends ExportEndpoint, R extends Row>(definition: StreamedDefinition<E, R>) {
  const { kind, sheet, schema, columns } = definition
  STREAMED.set(kind, { ...definition, all: createExportColumns(schema, columns) } as unknown as Streamed)
  return async (
    ctx: Ctx,
    input: ParsedOf<E>,
    message: string = TRANSFER_MESSAGES.exportQueued,
  ): Promise<StreamResponse> => {
    ctx.audit({ bizType: kind, action: `导出${sheet}，转为后台` })
    const job = await addTransfer(ctx, 'export', { of: kind, name: sheet, input })
    return createJobResponse(job, message)
  }
}

/** Returns the rows of a streamed export with words for codes. */
export async function* readStreamedRows(
  definition: Streamed,
  source: StreamSource<ExportEndpoint> & { onBatch(done: number, total: number): Promise<void> },
): AsyncGenerator<Row> {
  const inWords = createCodeTranslator(definition.schema)
  let done = 0
  for await (const { rows, total } of definition.batches(source)) {
    source.signal.throwIfAborted()
    for (const row of rows) yield inWords(row)
    done += rows.length
    await source.onBatch(done, Math.max(total, done, 1))
  }
}
