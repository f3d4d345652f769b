import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import type { ImportProblem } from '@oms/contract/kernel/transfer.ts'
import type { StoredFile } from '#kernel/files/store.ts'
import type { Kernel } from '#kernel/kernel.ts'
import type { Column, Row } from './cell.ts'
import { writeCsv } from './csv-writer.ts'

export interface FailedLine extends ImportProblem {
  /** The line as the table had it, by the titles of its columns. */
  readonly cells: ReadonlyMap<string, string>
}

const ABOUT: readonly Column[] = [
  { key: 'row', title: '行号' },
  { key: 'field', title: '问题列' },
  { key: 'msg', title: '原因' },
]

/** Every line an import did not take, written away as they come: to be put right and imported again as it is. */
export class FailureFile {
  readonly #files: Pick<Kernel['files'], 'put'>
  readonly #lines = new PassThrough({ objectMode: true })
  #stored: Promise<StoredFile> | undefined

  constructor({ files }: Pick<Kernel, 'files'>) {
    this.#files = files
    // Abandoning it is heard by whoever stores it.
    this.#lines.on('error', () => {})
  }

  async add({ row, field = '', msg, cells }: FailedLine) {
    this.#stored ??= this.#open([...cells.keys()])
    const line: Row = {
      row,
      field,
      msg,
      ...Object.fromEntries([...cells.values()].map((cell, at) => [`c${at}`, cell])),
    }
    // Whatever keeps the file from being stored must not leave the import waiting for it.
    if (!this.#lines.write(line)) await Promise.race([once(this.#lines, 'drain'), this.#stored])
  }

  /** The file; undefined where every line was taken. */
  async end(): Promise<StoredFile | undefined> {
    this.#lines.end()
    return this.#stored
  }

  abandon() {
    this.#lines.destroy(new Error('import abandoned'))
  }

  #open(titles: readonly string[]) {
    const columns = [...ABOUT, ...titles.map((title, at) => ({ key: `c${at}`, title }))]
    const stored = this.#files.put(writeCsv(columns, this.#lines as AsyncIterable<Row>))
    stored.catch(() => {})
    return stored
  }
}
