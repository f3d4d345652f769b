import { appKeys } from '@oms/contract/storage/app-key.ts'
import { playbackConsents } from '@oms/contract/storage/consent.ts'
import { storageEntitlements } from '@oms/contract/storage/entitlement.ts'
import { storageGrantFiles } from '@oms/contract/storage/grant-file.ts'
import { storageOptions } from '@oms/contract/storage/options.ts'
import { storagePackages } from '@oms/contract/storage/package.ts'
import { DEFAULT_STORAGE_SETTINGS, storageSettings } from '@oms/contract/storage/setting.ts'
import { recordOptions } from '@oms/contract/device/options.ts'
import { RenewDialog, StepDialog, OpenEntitlementDrawer } from '#modules/storage/entitlements/entitlement-dialogs.tsx'
import { GrantFileAudit } from '#modules/storage/entitlements/grant-file.tsx'
import { TransferDialog } from '#modules/storage/entitlements/transfer-dialog.tsx'
import { PackageAddForm, PackageEditForm } from '#modules/storage/package-dialogs.tsx'
import { SettingDrawer } from '#modules/storage/setting-drawer.tsx'
import { AppKeyForm } from '#modules/storage/hook-dialogs.tsx'
import { ConsentForm, ViewDialog } from '#modules/storage/playback/playback-dialogs.tsx'
import { type FormCase, buildOptions } from './form-case.ts'

const SCOPE = [
  [recordOptions.models, buildOptions({ modelCode: 'm' })],
  [recordOptions.tenants, buildOptions({ tenantNo: 't' })],
] as const

const ROW = { id: 1, sn: 'CAM1', packageName: '月卡', tenantId: 1 } as never
const RANGE = { rangeBegin: '2030-01-01 08:00:00', rangeEnd: '2030-01-01 09:00:00' }
const CONSENT = { id: 1, sn: 'CAM1', ...RANGE } as never
const WRITTEN = { ...RANGE, validUntil: '2030-02-01 00:00:00', document: `/api/v1/file/${'0'.repeat(32)}` }
const TERMS = { recordType: 1, storageDays: 7, periodType: 2, periodCount: 1, channels: 1, models: [], tenants: [] }

const GRANT_FILE = { id: 1, rev: 0, fileName: 'g.csv', lines: 2, devices: 2, copies: 2, listPrice: 0 } as never

/** Forms of cloud storage. */
export const STORAGE_CASES: readonly FormCase[] = [
  {
    name: '新增云存套餐',
    file: 'storage/package-dialogs.tsx',
    save: storagePackages.create,
    field: 'packageName',
    fill: { packageCode: 'YC7M1', price: '9' },
    reads: SCOPE,
    form: (close) => <PackageAddForm onClose={close} />,
  },
  {
    name: '编辑云存套餐',
    file: 'storage/package-dialogs.tsx',
    save: storagePackages.update,
    field: 'packageName',
    record: { read: storagePackages.get, values: TERMS },
    reads: SCOPE,
    form: (close, row) => <PackageEditForm row={row as never} onClose={close} />,
  },
  {
    name: '开通云存储',
    file: 'storage/entitlements/entitlement-dialogs.tsx',
    save: storageEntitlements.open,
    field: 'reason',
    choose: ['packageId'],
    reads: [
      [
        storageOptions.packages,
        buildOptions({ packageCode: 'p', recordType: 1, storageDays: 7, period: '1个月', price: 0 }),
      ],
      [storageOptions.devices, buildOptions({ modelName: 'm' })],
    ],
    form: (close) => <OpenEntitlementDrawer sns={['CAM1']} onClose={close} />,
  },
  {
    name: '暂停云存储',
    file: 'storage/entitlements/entitlement-dialogs.tsx',
    save: storageEntitlements.suspend,
    field: 'reason',
    form: (close) => <StepDialog step="suspend" rows={[ROW]} onClose={close} />,
  },
  {
    name: '续期云存储',
    file: 'storage/entitlements/entitlement-dialogs.tsx',
    save: storageEntitlements.renew,
    field: 'reason',
    form: (close) => <RenewDialog rows={[ROW]} onClose={close} />,
  },
  {
    name: '转移云存储',
    file: 'storage/entitlements/transfer-dialog.tsx',
    save: storageEntitlements.transfer,
    field: 'reason',
    choose: ['targetSn'],
    reads: [[storageOptions.targets, buildOptions({ modelName: 'm', cloudChannels: 2 })]],
    form: (close) => <TransferDialog rows={[ROW]} onClose={close} />,
  },
  {
    name: '云存参数',
    file: 'storage/setting-drawer.tsx',
    save: storageSettings.save,
    field: 'keepDays',
    values: ['9', '12'],
    record: { read: storageSettings.get, values: DEFAULT_STORAGE_SETTINGS },
    form: (close) => <SettingDrawer onClose={close} />,
  },
  {
    name: '登记录像查看授权',
    file: 'storage/playback/playback-dialogs.tsx',
    save: playbackConsents.create,
    field: 'sn',
    form: (close) => <ConsentForm initial={WRITTEN} onClose={close} />,
  },
  {
    name: '查看录像',
    file: 'storage/playback/playback-dialogs.tsx',
    save: playbackConsents.view,
    field: 'reason',
    values: ['核对花屏画面', '核对夜间画面'],
    reads: [
      [
        playbackConsents.times,
        {
          channels: [0],
          days: ['2030-01-01'],
          list: [{ begin: '2030-01-01 08:10:00', end: '2030-01-01 08:12:00' }],
        },
      ],
    ],
    opens: '本次查看已记录，设备用户可在 App 中看到查看人、时间和原因。',
    form: (close) => <ViewDialog consent={CONSENT} onClose={close} />,
  },
  {
    name: '新增App密钥',
    file: 'storage/hook-dialogs.tsx',
    save: appKeys.create,
    field: 'keyName',
    reads: SCOPE,
    form: (close) => <AppKeyForm row="new" onSecret={() => {}} onClose={close} />,
  },
  {
    name: '编辑App密钥',
    file: 'storage/hook-dialogs.tsx',
    save: appKeys.update,
    field: 'keyName',
    record: { read: appKeys.get, values: { origins: ['https://app.example'] } },
    form: (close, row) => <AppKeyForm row={row as never} onSecret={() => {}} onClose={close} />,
  },
  {
    name: '审批批量开通',
    file: 'storage/entitlements/grant-file.tsx',
    save: storageGrantFiles.audit,
    field: 'auditRemark',
    choose: ['pass'],
    form: (close) => <GrantFileAudit row={GRANT_FILE} onClose={close} />,
  },
]
