import { storageOptions } from '@oms/contract/storage/options.ts'
import { storagePackages } from '@oms/contract/storage/package.ts'
import { PackageAdd, PackageEdit } from '#modules/storage/package-form.tsx'
import { type FormCase, options } from './form-case.ts'

const SCOPE = [
  [storageOptions.models, options({ modelCode: 'm' })],
  [storageOptions.tenants, options({ tenantNo: 't' })],
] as const

const TERMS = { recordType: 1, storageDays: 7, periodType: 2, periodCount: 1, channels: 1, models: [], tenants: [] }

/** Forms of cloud storage. */
export const STORAGE_CASES: readonly FormCase[] = [
  {
    name: '新增云存套餐',
    file: 'storage/package-form.tsx',
    save: storagePackages.create,
    field: 'packageName',
    fill: { packageCode: 'YC7M1', price: '9' },
    reads: SCOPE,
    form: (close) => <PackageAdd onClose={close} />,
  },
  {
    name: '编辑云存套餐',
    file: 'storage/package-form.tsx',
    save: storagePackages.update,
    field: 'packageName',
    record: { read: storagePackages.get, values: TERMS },
    reads: SCOPE,
    form: (close, row) => <PackageEdit row={row as never} onClose={close} />,
  },
]
