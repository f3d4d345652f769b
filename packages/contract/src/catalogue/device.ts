import type { CatalogueDirectory } from '../kernel/catalogue.ts'

export const DEVICES: CatalogueDirectory = { url: '/device', name: '设备管理', icon: 'video-camera', pages: [] }
