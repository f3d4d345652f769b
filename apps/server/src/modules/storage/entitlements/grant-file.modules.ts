import { storageGrantFiles } from '@oms/contract/storage/grant-file.ts'
import { implement } from '#core/http/implement.ts'
import { audit, importFile } from './grant-file.service.ts'
import { grantImport } from './grant-file-import.ts'
import { failedLines, get, list } from './grant-file-rows.service.ts'

/** Entitlements opened by a file. */
export const grantFileModule = implement(
  storageGrantFiles,
  { template: grantImport.template, import: importFile, list, get, failedLines, audit },
  { outsideTransaction: ['import', 'audit'] },
)
