import { files } from '@oms/contract/file/file.ts'
import { implement } from '#core/http/implement.ts'
import { abortUpload, beginUpload, downloadFile, finishUpload, putUploadPart, uploadFile } from './file.service.ts'

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
