import {
  AppstoreOutlined,
  BookOutlined,
  CloudOutlined,
  CloudUploadOutlined,
  CustomerServiceOutlined,
  DesktopOutlined,
  FileSearchOutlined,
  HddOutlined,
  HomeOutlined,
  IdcardOutlined,
  InfoCircleOutlined,
  LoginOutlined,
  MenuOutlined,
  NotificationOutlined,
  RobotOutlined,
  SafetyCertificateOutlined,
  SettingOutlined,
  TeamOutlined,
  UploadOutlined,
  UserOutlined,
} from '@ant-design/icons'
import type { ComponentType } from 'react'

export type Icon = ComponentType<{ className?: string }>

/** The icons of the menus that come with the product. Loaded beside the frame, never before it. */
export const BUILTIN_ICONS: Readonly<Record<string, Icon>> = {
  'info-circle': InfoCircleOutlined,
  idcard: IdcardOutlined,
  login: LoginOutlined,
  'file-search': FileSearchOutlined,
  hdd: HddOutlined,
  'cloud-upload': CloudUploadOutlined,
  appstore: AppstoreOutlined,
  book: BookOutlined,
  cloud: CloudOutlined,
  desktop: DesktopOutlined,
  home: HomeOutlined,
  menu: MenuOutlined,
  notification: NotificationOutlined,
  robot: RobotOutlined,
  safety: SafetyCertificateOutlined,
  service: CustomerServiceOutlined,
  setting: SettingOutlined,
  team: TeamOutlined,
  upload: UploadOutlined,
  user: UserOutlined,
}

/** For a menu without an icon of its own: by the first part of its address. */
export const ICON_OF_MODULE: Readonly<Record<string, string>> = {
  indexScreen: 'home',
  tenantManage: 'team',
  device: 'desktop',
  upgrade: 'upload',
  LicenseManage: 'safety',
  AfterService: 'service',
  system: 'setting',
  AccountAdministration: 'user',
  ossManage: 'cloud',
  advertiseManage: 'notification',
  agent: 'robot',
}
