import { describeSearches } from '../helpers/searches.js';

describeSearches(2.5, 3, 5, 6, 7, 8);
