import { tooLarge, UPLOAD } from '@oms/contract/upload.ts'
import type { Incoming } from '#kernel/context.ts'
import { invalid } from '#kernel/problem.ts'
import { TableUnreadable } from './table-limits.ts'
import { type OpenTable, openTable } from './table-reader.ts'

/** Opens the file of an import from memory; what is no table, or a larger one than `maxBytes`, is refused in words. */
export async function openIncoming(incoming: Incoming | null, maxBytes: number): Promise<OpenTable> {
  if (!incoming) throw invalid('请选择文件', 'file')
  if (!/\.(xlsx|csv)$/i.test(incoming.name)) throw invalid('文件格式不正确，请上传xlsx/csv格式文件!', 'file')
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of incoming.stream as AsyncIterable<Buffer>) {
    size += chunk.length
    // Read to the end even so: an answer before it would meet a client that is still sending.
    if (size <= maxBytes) chunks.push(chunk)
  }
  if (size > maxBytes) throw invalid(tooLarge({ ...UPLOAD.table, maxBytes }), 'file')
  return openTable(Buffer.concat(chunks), incoming.name, {}).catch(explained)
}

/** Turns the reader's complaint into a refusal at the file. */
export function explained(error: unknown): never {
  throw error instanceof TableUnreadable ? invalid(error.message, 'file') : error
}
