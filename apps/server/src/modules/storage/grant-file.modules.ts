import { storageGrantFiles } from '@oms/contract/storage/grant-file.ts'
import { implement } from '#core/http/implement.ts'
import { audit, importFile, list } from './grant-file.service.ts'
import { grantImport } from './grant-file-import.ts'

/** Entitlements opened by a file. */
export const grantFileModule = implement(
  storageGrantFiles,
  { template: grantImport.template, import: importFile, list, audit },
  { outsideTransaction: ['import', 'audit'] },
)
