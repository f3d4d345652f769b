import { files } from '@oms/contract/file.ts'
import { implement } from '#kernel/implement.ts'
import { abort, begin, download, finish, putPart, upload } from './file.service.ts'

export const fileModule = implement(
  files,
  { upload, download, begin, putPart, finish, abort },
  // Bytes travel for minutes; no transaction waits for them.
  { outsideTransaction: ['upload', 'begin', 'putPart', 'finish', 'abort'] },
)
