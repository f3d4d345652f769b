import { files } from '@oms/contract/system/file.ts'
import { implement } from '#core/http/implement.ts'
import { abortUpload, beginUpload, downloadFile, finishUpload, putUploadPart, uploadFile } from './file.ts'

export const fileModule = implement(
  files,
  {
    upload: uploadFile,
    download: downloadFile,
    begin: beginUpload,
    putPart: putUploadPart,
    finish: finishUpload,
    abort: abortUpload,
  },
  // Outside a transaction, because transferring bytes can take minutes.
  { outsideTransaction: ['upload', 'begin', 'putPart', 'finish', 'abort'] },
)
