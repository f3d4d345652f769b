import { files } from '@oms/contract/file/file.ts'
import { implement } from '#core/http/implement.ts'
import { abort, begin, download, finish, putPart, upload } from './file.service.ts'

export const fileModule = implement(
  files,
  { upload, download, begin, putPart, finish, abort },
  // Outside a transaction, because transferring bytes can take minutes.
  { outsideTransaction: ['upload', 'begin', 'putPart', 'finish', 'abort'] },
)
