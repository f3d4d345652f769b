import { brand, BrandInput } from '@oms/contract/system/brand.ts'
import { about } from '@oms/contract/system/about.ts'
import { webhooks } from '@oms/contract/integration/webhook.ts'
import { deviceAccess } from '@oms/contract/device/device-access.ts'
import { deviceGroups } from '@oms/contract/device/device-group.ts'
import { deviceModels } from '@oms/contract/device/device-model.ts'
import { deviceTypes } from '@oms/contract/device/device-type.ts'
import { devices } from '@oms/contract/device/device-info.ts'
import { dictTypes } from '@oms/contract/system/dict-type.ts'
import { dictData } from '@oms/contract/system/dict.ts'
import { homeDisplay } from '@oms/contract/home/home-display.ts'
import { recordOptions } from '@oms/contract/device/options.ts'
import { DisplayLinks } from '#modules/home/display-links.tsx'
import { EndpointForm } from '#modules/integration/endpoint-form.tsx'
import { ContactForm } from '#modules/system/about.page.tsx'
import { BrandForm } from '#modules/system/brand.page.tsx'
import { AccessForm } from '#modules/device/groups/access.page.tsx'
import { GroupAddForm, GroupEditForm } from '#modules/device/groups/group-form.tsx'
import { ModelAddForm, ModelEditForm, TypeAddForm, TypeForm } from '#modules/device/models/device-model-dialogs.tsx'
import {
  MoveDialog,
  TagDialog,
  TokensDialog,
  TransferDialog,
  DeviceAddForm,
  DeviceEditForm,
} from '#modules/device/device-forms.tsx'
import {
  DictDataAddForm,
  DictDataEditForm,
  DictTypeAddForm,
  DictTypeEditForm,
} from '#modules/system/dict/dict-dialogs.tsx'
import { type FormCase, buildOptions } from './form-case.ts'

const MODELS = { list: [{ id: 1, name: '型号', modelCode: 'm', typeName: '类型', status: 1 }] }
const BATCH = { ids: [1], onDone: () => {} }

/** Forms of devices, models, groups, dictionaries, and the platform itself. */
export const CATALOGUE_CASES: readonly FormCase[] = [
  {
    name: '品牌外观',
    file: 'system/brand.page.tsx',
    save: brand.update,
    field: 'footer',
    stays: true,
    form: () => <BrandForm stored={{ ...BrandInput.parse({}), rev: 1, tenantName: '' }} />,
  },
  {
    name: '新增消息推送',
    file: 'integration/endpoint-form.tsx',
    save: webhooks.create,
    field: 'name',
    fill: { url: 'https://erp.example.com/oms' },
    choose: ['events'],
    form: (close) => <EndpointForm row="new" onSecret={() => {}} onClose={close} />,
  },
  {
    name: '编辑消息推送',
    file: 'integration/endpoint-form.tsx',
    save: webhooks.update,
    field: 'name',
    record: { read: webhooks.get, values: { kind: 'webhook', events: ['ticket.created'], address: 'https://erp' } },
    form: (close, row) => <EndpointForm row={row as never} onSecret={() => {}} onClose={close} />,
  },
  {
    name: '编辑联系方式',
    file: 'system/about.page.tsx',
    save: about.update,
    field: 'company',
    record: { read: about.facts, at: 'contact' },
    form: (close) => <ContactForm onClose={close} />,
  },
  {
    name: '新增字典',
    file: 'system/dict/dict-dialogs.tsx',
    save: dictTypes.create,
    field: 'dictName',
    fill: { dictType: 'sample_type' },
    form: (close) => <DictTypeAddForm onClose={close} />,
  },
  {
    name: '编辑字典',
    file: 'system/dict/dict-dialogs.tsx',
    save: dictTypes.update,
    field: 'dictName',
    record: { read: dictTypes.get, values: { isBuiltin: 0 } },
    form: (close, row) => <DictTypeEditForm row={row as never} onClose={close} />,
  },
  {
    name: '新增字典数据',
    file: 'system/dict/dict-dialogs.tsx',
    save: dictData.create,
    field: 'dictLabel',
    fill: { dictValue: '1' },
    form: (close) => <DictDataAddForm dictType="sample" onClose={close} />,
  },
  {
    name: '编辑字典数据',
    file: 'system/dict/dict-dialogs.tsx',
    save: dictData.update,
    field: 'dictLabel',
    record: { read: dictData.get, values: { isBuiltin: 0 } },
    form: (close, row) => <DictDataEditForm row={row as never} onClose={close} />,
  },
  {
    name: '新增设备类型',
    file: 'device/models/device-model-dialogs.tsx',
    save: deviceTypes.create,
    field: 'typeName',
    fill: { typeCode: 'sample' },
    form: (close) => <TypeAddForm onClose={close} />,
  },
  {
    name: '编辑设备类型',
    file: 'device/models/device-model-dialogs.tsx',
    save: deviceTypes.update,
    field: 'typeName',
    record: { read: deviceTypes.get },
    form: (close, row) => <TypeForm row={row as never} onClose={close} />,
  },
  {
    name: '新增设备型号',
    file: 'device/models/device-model-dialogs.tsx',
    save: deviceModels.create,
    field: 'modelName',
    fill: { modelCode: 'sample' },
    choose: ['typeId'],
    reads: [[deviceModels.types, [{ typeId: 1, typeName: '类型', status: 1 }]]],
    form: (close) => <ModelAddForm onClose={close} />,
  },
  {
    name: '编辑设备型号',
    file: 'device/models/device-model-dialogs.tsx',
    save: deviceModels.update,
    field: 'modelName',
    record: { read: deviceModels.get },
    form: (close, row) => <ModelEditForm row={row as never} onClose={close} />,
  },
  {
    name: '新增设备',
    file: 'device/device-forms.tsx',
    save: devices.create,
    field: 'devName',
    fill: { sn: 'SN1' },
    choose: ['modelId'],
    reads: [[recordOptions.models, MODELS]],
    form: (close) => <DeviceAddForm onClose={close} />,
  },
  {
    name: '编辑设备',
    file: 'device/device-forms.tsx',
    save: devices.update,
    field: 'devName',
    record: { read: devices.get },
    form: (close, row) => <DeviceEditForm row={row as never} onClose={close} />,
  },
  {
    name: '修改设备标签',
    file: 'device/device-forms.tsx',
    save: devices.tag,
    field: 'add',
    values: null,
    form: (close) => <TagDialog {...BATCH} onClose={close} />,
  },
  {
    name: '移动设备分组',
    file: 'device/device-forms.tsx',
    save: devices.move,
    field: 'join',
    values: null,
    choose: ['join'],
    reads: [[devices.groupOptions, buildOptions({ kind: 1 })]],
    form: (close) => <MoveDialog {...BATCH} onClose={close} />,
  },
  {
    name: '转移设备',
    file: 'device/device-forms.tsx',
    save: devices.transfer,
    field: 'tenantId',
    values: null,
    choose: ['tenantId'],
    reads: [[recordOptions.tenants, buildOptions({ tenantNo: 'T1' })]],
    form: (close) => <TransferDialog {...BATCH} onClose={close} />,
  },
  {
    name: '批量生成令牌',
    file: 'device/device-forms.tsx',
    save: devices.tokens,
    field: 'replace',
    values: null,
    opens: '知道了',
    form: (close) => <TokensDialog {...BATCH} onClose={close} />,
  },
  {
    name: '新增设备分组',
    file: 'device/groups/group-form.tsx',
    save: deviceGroups.create,
    field: 'groupName',
    form: (close) => <GroupAddForm tree={[]} parentId={undefined} onClose={close} />,
  },
  {
    name: '编辑设备分组',
    file: 'device/groups/group-form.tsx',
    save: deviceGroups.update,
    field: 'groupName',
    record: { read: deviceGroups.get, values: { kind: 1 } },
    form: (close) => <GroupEditForm id={1} tree={[]} onClose={close} />,
  },
  {
    name: '接入设置',
    file: 'device/groups/access.page.tsx',
    save: deviceAccess.update,
    field: 'pollSeconds',
    values: ['100', '200'],
    stays: true,
    form: () => <AccessForm loaded={ACCESS as never} />,
  },
  {
    name: '生成展示链接',
    file: 'home/display-links.tsx',
    save: homeDisplay.create,
    field: 'name',
    stays: true,
    form: (close) => <DisplayLinks onClose={close} />,
  },
]
const ACCESS = {
  tenantId: 1,
  rev: 1,
  targetToken: 1,
  gatewayToken: 0,
  hasGatewayToken: false,
  autoModelId: null,
  autoModelName: '',
  pollSeconds: 60,
}
