import { storageGrantFiles } from '@oms/contract/storage/grant-file.ts'
import { implement } from '#core/http/implement.ts'
import { reviewGrantFile, uploadGrantFile } from './grant-file.ts'
import { importGrantFile } from './grant-file-import.ts'
import { listFailedLines, getGrantFile, listGrantFiles } from './grant-file-rows.ts'

/** Entitlements opened by a file. */
export const grantFileModule = implement(
  storageGrantFiles,
  {
    template: importGrantFile.template,
    import: uploadGrantFile,
    list: listGrantFiles,
    get: getGrantFile,
    failedLines: listFailedLines,
    audit: reviewGrantFile,
  },
  { outsideTransaction: ['import', 'audit'] },
)
