import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { YES_NO } from '@oms/contract/core/package-fields.ts'
import {
  type storagePackages as calls,
  PACKAGE_STATUS,
  PACKAGE_LABELS,
  PackageInput,
  PackageTerms,
  PERIOD_TYPE,
  RECORDING_TYPE,
  STORAGE_DAYS,
} from '@oms/contract/storage/package.ts'
import { readFieldTitles } from '#core/audit/field-titles.ts'
import type { Ctx } from '#core/http/context.ts'
import { createPackageStore } from './package-store.ts'
import { ossPackages, ossPackageVersions } from '../schema.ts'

const WORDS: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  recordType: RECORDING_TYPE,
  storageDays: STORAGE_DAYS,
  periodType: PERIOD_TYPE,
  isTrial: YES_NO,
  prolong: YES_NO,
  status: PACKAGE_STATUS,
}

const store = createPackageStore({
  packages: ossPackages,
  versions: ossPackageVersions,
  kind: 'storagePackage',
  resource: 'oss',
  noun: '云存套餐',
  statusLabels: PACKAGE_LABELS,
  titles: { ...readFieldTitles(PackageInput.shape), status: '状态' },
  inWords: (fields) =>
    Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, WORDS[key]?.[value as number] ?? value])),
  clashes: {
    oss_packages_name: ['套餐名称已存在', 'packageName'],
    oss_packages_code: ['套餐编码已存在', 'packageCode'],
  },
  soldText: `套餐已有开通记录，不能删除，可以${PACKAGE_LABELS.disable}`,
  savedText: (version) => `已保存为版本 ${version}，已开通的设备不受影响`,
})

/** Splits the input into the columns of the package and those of the version. */
function split<T extends Omit<ParsedOf<typeof calls.update>, 'id' | 'rev'>>(input: T) {
  const { packageName, packageCode, description, sort, ...rest } = input
  return { label: { packageName, packageCode, description, sort }, terms: PackageTerms.parse(rest) }
}

export const createPackage = (ctx: Ctx, input: ParsedOf<typeof calls.create>) =>
  store.create(ctx, { ...split(input), status: input.status })
export const updatePackage = (ctx: Ctx, input: ParsedOf<typeof calls.update>) =>
  store.update(ctx, { ...split(input), id: input.id, rev: input.rev })
export const enablePackage = (ctx: Ctx, { id }: ParsedOf<typeof calls.enable>) => store.setStatus(ctx, id, 1)
export const disablePackage = (ctx: Ctx, { id }: ParsedOf<typeof calls.disable>) => store.setStatus(ctx, id, 0)
export const removePackage = (ctx: Ctx, { id }: ParsedOf<typeof calls.remove>) => store.remove(ctx, id)
