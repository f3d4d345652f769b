import { matchRoute } from './screen-match.ts'

/** Guides of the directory `docs/help`, by the first segment of the paths that they describe. */
const GUIDES: Readonly<Record<string, string>> = {
  indexScreen: 'start',
  bigScreen: 'system',
  account: 'account',
  userManage: 'account',
  AccountAdministration: 'account',
  tenantManage: 'tenant',
  device: 'device',
  upgrade: 'upgrade',
  LicenseManage: 'license',
  AfterService: 'ticket',
  ossManage: 'storage',
  advertiseManage: 'advertise',
  agent: 'agent',
  system: 'system',
}
/** Pages whose path belongs to another guide. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  '/system/manager': 'account',
  '/system/rolemanagement': 'account',
  '/system/userList': 'account',
  '/system/sceneManagement': 'tenant',
}

/** Returns the URL of the guide for a page of the console: the section of its menu page, or all guides. */
export function findHelpUrl(url: string) {
  const screen = matchRoute(url)?.screen
  if (!screen) return '/help'
  const path = screen.under ?? screen.path
  const guide = ELSEWHERE[path] ?? GUIDES[path.split('/')[1] ?? '']
  if (!guide) return '/help'
  const title = matchRoute(path)?.screen.title
  return guide === 'start' || !title ? `/help/${guide}` : `/help/${guide}#${encodeURIComponent(title.toLowerCase())}`
}
