import { account } from '@oms/contract/account/account.ts'
import { menu } from '@oms/contract/system/menu.ts'
import { notices } from '@oms/contract/system/notice.ts'
import { role } from '@oms/contract/account/role.ts'
import { scene } from '@oms/contract/tenant/scene.ts'
import { staff } from '@oms/contract/account/staff.ts'
import { tokens } from '@oms/contract/account/tokens.ts'
import { appAccount } from '@oms/contract/storage/app-account.ts'
import { industry } from '@oms/contract/tenant/industry.ts'
import { tenant } from '@oms/contract/tenant/tenant.ts'
import { userApply } from '@oms/contract/tenant/user-apply.ts'
import { ProfileForm } from '#modules/account/profile.page.tsx'
import { LoadedTokenForm, RotateForm } from '#modules/account/tokens.page.tsx'
import { MenuAddForm, MenuEditForm } from '#modules/system/menus/menu-dialogs.tsx'
import { NoticeAddForm, NoticeEditForm } from '#modules/system/notices/notice-form.tsx'
import { RoleForm } from '#modules/account/roles/role-form.tsx'
import { RolePermission } from '#modules/account/roles/role-dialogs.tsx'
import { SceneAddForm, SceneEditForm } from '#modules/tenant/scene-dialogs.tsx'
import { AssignRoleForm, StaffAddForm, StaffEditForm } from '#modules/account/staff/staff-dialogs.tsx'
import { AppAddForm } from '#modules/storage/app-dialogs.tsx'
import { IndustryAddForm, IndustryEditForm, IndustryMerge } from '#modules/tenant/industry-form.tsx'
import { JoinPage } from '#modules/tenant/join-page.tsx'
import { TenantAddForm, TenantEditForm } from '#modules/tenant/tenant-form.tsx'
import { TenantRenew } from '#modules/tenant/tenant-dialogs.tsx'
import { type FormCase, buildOptions } from './form-case.ts'

const NODE = { id: 1, parentId: 0, name: '行业', code: 'A', tenantCount: 0, children: [] }
const SCENES = { list: [{ id: 1, sceneName: '场景', isDefault: 1 }] }
const PROFILE = {
  uid: 1,
  account: 'me',
  realname: '本人',
  nickname: '',
  gender: 1,
  birthday: null,
  profile: '',
  address: '',
  avatar: '',
  mobileNo: null,
  email: null,
  rev: 1,
}
const noop = () => {}

/** Forms of customers, accounts, roles, scenes, menus and notices. */
export const PEOPLE_CASES: readonly FormCase[] = [
  {
    name: '新增访问令牌',
    file: 'account/tokens.page.tsx',
    save: tokens.create,
    field: 'name',
    fill: { pswdMd5: 'Correct-horse-7' },
    form: (close) => <LoadedTokenForm menus={[]} onClose={close} onMade={noop} />,
  },
  {
    name: '更换访问令牌',
    file: 'account/tokens.page.tsx',
    save: tokens.rotate,
    field: 'hours',
    values: ['3', '4'],
    form: (close) => <RotateForm row={{ id: 1, name: 'ERP' } as never} onClose={close} onMade={noop} />,
  },
  {
    name: '编辑资料',
    file: 'account/profile.page.tsx',
    save: account.modify,
    field: 'nickname',
    stays: true,
    form: () => <ProfileForm profile={PROFILE as never} />,
  },
  {
    name: '新增行业',
    file: 'tenant/industry-form.tsx',
    save: industry.create,
    field: 'name',
    fill: { code: 'SAMPLE' },
    form: (close) => <IndustryAddForm tree={[]} parentId={0} onClose={close} />,
  },
  {
    name: '编辑行业',
    file: 'tenant/industry-form.tsx',
    save: industry.update,
    field: 'name',
    record: { read: industry.list, at: 'list', values: { parentId: 0, children: [] } },
    form: (close, row) => <IndustryEditForm tree={[]} row={row as never} onClose={close} />,
  },
  {
    name: '合并行业',
    file: 'tenant/industry-form.tsx',
    save: industry.merge,
    field: 'toId',
    values: null,
    choose: ['toId'],
    form: (close) => <IndustryMerge tree={[NODE as never]} row={{ ...NODE, id: 2 } as never} onClose={close} />,
  },
  {
    name: '续期客户',
    file: 'tenant/tenant-dialogs.tsx',
    save: tenant.renew,
    field: 'remark',
    record: { read: tenant.get, values: { expireTime: null }, isShown: false },
    form: (close, row) => <TenantRenew row={row as never} onClose={close} />,
  },
  {
    name: '新增App账号',
    file: 'storage/app-dialogs.tsx',
    save: appAccount.create,
    field: 'nickname',
    fill: { account: 'sample_user' },
    form: (close) => <AppAddForm onClose={close} />,
  },
  {
    name: '新增客户',
    file: 'tenant/tenant-form.tsx',
    save: tenant.create,
    field: 'name',
    fill: { contactName: '联系人', contactPhone: '13800000001', adminName: '管理员' },
    choose: ['industryId'],
    reads: [
      [tenant.scenes, SCENES],
      [industry.options, buildOptions()],
    ],
    form: (close) => <TenantAddForm onClose={close} onMade={noop} />,
  },
  {
    name: '编辑客户',
    file: 'tenant/tenant-form.tsx',
    save: tenant.update,
    field: 'name',
    reads: [[tenant.scenes, SCENES]],
    record: { read: tenant.get, values: { sceneIds: [1], sceneNames: ['场景'] } },
    form: (close) => <TenantEditForm id={1} onClose={close} />,
  },
  {
    name: '申请加入客户',
    file: 'tenant/join-page.tsx',
    save: userApply.apply,
    field: 'reason',
    fill: { joinCode: 'ABCD2345' },
    stays: true,
    form: () => <JoinPage />,
  },
  {
    name: '新增业务场景',
    file: 'tenant/scene-dialogs.tsx',
    save: scene.create,
    field: 'sceneName',
    fill: { sceneCode: 'sample' },
    form: (close) => <SceneAddForm onClose={close} />,
  },
  {
    name: '编辑业务场景',
    file: 'tenant/scene-dialogs.tsx',
    save: scene.update,
    field: 'sceneName',
    record: { read: scene.get },
    form: (close) => <SceneEditForm id={1} onClose={close} />,
  },
  {
    name: '新增用户',
    file: 'account/staff/staff-dialogs.tsx',
    save: staff.create,
    field: 'nickname',
    fill: { account: 'sample_user', realname: '姓名' },
    form: (close) => <StaffAddForm onClose={close} onMade={noop} />,
  },
  {
    name: '编辑用户',
    file: 'account/staff/staff-dialogs.tsx',
    save: staff.update,
    field: 'nickname',
    record: { read: staff.list, at: 'list' },
    form: (close, row) => <StaffEditForm row={row as never} onClose={close} />,
  },
  {
    name: '分配角色',
    file: 'account/staff/staff-dialogs.tsx',
    save: staff.assignRole,
    field: 'roleIds',
    values: null,
    record: { read: staff.list, at: 'list', isShown: false },
    form: (close, row) => <AssignRoleForm row={row as never} onClose={close} />,
  },
  {
    name: '新增角色',
    file: 'account/roles/role-form.tsx',
    save: role.create,
    field: 'roleName',
    fill: { roleCode: 'sample' },
    form: (close) => <RoleForm onClose={close} />,
  },
  {
    name: '编辑角色',
    file: 'account/roles/role-form.tsx',
    save: role.update,
    field: 'roleName',
    record: { read: role.get },
    form: (close, row) => <RoleForm role={row as never} onClose={close} />,
  },
  {
    name: '角色的权限',
    file: 'account/roles/role-dialogs.tsx',
    save: role.permission,
    field: 'menuIds',
    values: null,
    atField: false,
    record: { read: role.allPerm, isShown: false },
    form: (close) => (
      <RolePermission role={{ id: 1, roleName: '质检', isBuiltin: 0, userCount: 0 } as never} onClose={close} />
    ),
  },
  {
    name: '新增菜单',
    file: 'system/menus/menu-dialogs.tsx',
    save: menu.create,
    field: 'name',
    fill: { url: '/sample' },
    form: (close) => <MenuAddForm parent={undefined} tree={[]} onClose={close} />,
  },
  {
    name: '编辑菜单',
    file: 'system/menus/menu-dialogs.tsx',
    save: menu.update,
    field: 'name',
    record: { read: menu.get, values: { type: 'M', parentId: 0, isBuiltin: 0, url: '/sample', perms: '' } },
    form: (close) => <MenuEditForm id={1} tree={[]} onClose={close} />,
  },
  {
    name: '新增公告',
    file: 'system/notices/notice-form.tsx',
    save: notices.create,
    field: 'title',
    fill: { content: '正文' },
    form: (close) => <NoticeAddForm onClose={close} />,
  },
  {
    name: '编辑公告',
    file: 'system/notices/notice-form.tsx',
    save: notices.update,
    field: 'title',
    record: { read: notices.get, values: { target: 1, content: '<p>正文</p>' } },
    form: (close) => <NoticeEditForm id={1} onClose={close} />,
  },
]
