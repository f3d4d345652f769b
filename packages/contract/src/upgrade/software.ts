import * as z from 'zod'
import type { Contract } from '../core/endpoint.ts'
import { id, optionalRev, search, textLine } from '../core/fields.ts'
import { sortedPage } from '../core/page.ts'
import { exportQuery } from '../core/transfer.ts'
import {
  componentsInput,
  parseJsonField,
  NO_VERSION_MESSAGE,
  optionalModel,
  OTA_SORTS,
  checkRangeOrder,
  ota,
  versionFields,
  versionFilters,
} from './ota.ts'

const PACKAGE_NAME = /^[a-z0-9._-]+$/

/**
 * Software packages (App or other packages of a model). They have the states of firmware and are identified by
 * package name.
 */
const softwareFields = {
  ...versionFields,
  packageName: textLine('包名', 64)
    .regex(PACKAGE_NAME, '包名只能包含小写字母、数字和 . _ -')
    .meta({ title: '包名', max: 64 }),
}
export const SoftwareVersionInput = z.object(softwareFields, NO_VERSION_MESSAGE)

const SoftwareCreateInput = z.object({
  otaVersion: parseJsonField(checkRangeOrder(SoftwareVersionInput.extend(optionalModel))),
  components: componentsInput,
})
export const SoftwareUpdateInput = z.object({
  otaVersion: parseJsonField(
    checkRangeOrder(z.object({ ...softwareFields, ...optionalModel, otaId: id, rev: optionalRev }, NO_VERSION_MESSAGE)),
  ),
  components: componentsInput,
})
export const SoftwareQuery = sortedPage(OTA_SORTS).extend({ packageName: search('包名', 64), ...versionFilters })

export const software = {
  list: {
    ...ota.list,
    path: '/api/v1/device/software',
    access: 'upgrade:GeneralSoftware:list',
    summary: '软件包版本列表；beginTime、endTime 为发布日期范围',
    input: SoftwareQuery,
  },
  export: {
    ...ota.export,
    path: '/api/v1/device/software/export',
    access: 'upgrade:GeneralSoftware:export',
    title: '导出软件包版本',
    input: SoftwareQuery.omit({ pageNum: true, pageSize: true }).extend(exportQuery.shape),
  },
  get: { ...ota.get, path: '/api/v1/device/software/ver/:otaId', access: 'upgrade:GeneralSoftware:query' },
  create: {
    ...ota.create,
    path: '/api/v1/device/software/ver',
    access: 'upgrade:GeneralSoftware:add',
    title: '新增软件包版本',
    input: SoftwareCreateInput,
  },
  update: {
    ...ota.update,
    path: '/api/v1/device/software/ver',
    access: 'upgrade:GeneralSoftware:edit',
    title: '修改软件包版本',
    input: SoftwareUpdateInput,
  },
  remove: {
    ...ota.remove,
    path: '/api/v1/device/software/ver/:otaId',
    access: 'upgrade:GeneralSoftware:remove',
    title: '删除软件包版本',
  },
  enable: {
    ...ota.enable,
    path: '/api/v1/device/software/ver/enable/:otaId',
    access: 'upgrade:GeneralSoftware:enable',
    title: '启用软件包版本',
  },
  disable: {
    ...ota.disable,
    path: '/api/v1/device/software/ver/disable/:otaId',
    access: 'upgrade:GeneralSoftware:enable',
    title: '停用软件包版本',
  },
  upload: {
    ...ota.upload,
    path: '/api/v1/device/software/upload',
    access: 'upgrade:GeneralSoftware:uploadComp',
    title: '上传软件包组件',
  },
} as const satisfies Contract
